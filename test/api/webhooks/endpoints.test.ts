/** Endpoints, Webhooks: creating, reading, changing and deleting. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, assertUuidV7, RECORD_NOT_FOUND } from '../../helpers/shapes.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const HOOK_URL = 'https://example.com/hook';

/** Of a webhook that nothing was sent to. */
const NO_HEALTH = {
  ...{ lastSuccessAt: null, lastFailureAt: null, failingSince: null, waiting: 0 },
  ...{ failed24h: 0, delivered24h: 0, pausedUntil: null },
};

for (const engine of engines)
  describe(`endpoints, webhooks, on ${engine}`, () => {
    const world = useWorld(engine);

    it('POST /v1/webhooks returns 201 and the webhook, enabled, for all events by default', async () => {
      const body = await newWebhook(world, await world.newApp(), { url: HOOK_URL });
      const { id, createdAt, ...rest } = body;
      assertUuidV7(id);
      assert.ok(createdAt);
      assert.deepEqual(rest, {
        url: HOOK_URL,
        events: [],
        enabled: true,
        template: null,
        templateConfig: null,
        retries: 'standard',
      });
    });

    it('GET /v1/webhooks returns 200 and all webhooks of the app as an array, newest first', async () => {
      const app = await world.newApp();
      const one = await newWebhook(world, app, { url: HOOK_URL });
      const two = await newWebhook(world, app, { url: HOOK_URL });
      await newWebhook(world, await world.newApp(), { url: HOOK_URL });
      const { status, body } = await world.call('GET', '/v1/webhooks', { key: app.keys.live });
      assert.deepEqual(
        [status, body],
        [200, [two, one].map((webhook) => ({ ...webhook, health: NO_HEALTH }))],
      );
    });

    it('GET /v1/webhooks/{id} returns 200 and the webhook', async () => {
      const app = await world.newApp();
      const webhook = await newWebhook(world, app, { url: HOOK_URL });
      const { status, body } = await world.call('GET', `/v1/webhooks/${webhook.id}`, { key: app.keys.live });
      assert.deepEqual([status, body], [200, { ...webhook, health: NO_HEALTH }]);
    });

    for (const [field, value] of [
      ['url', 'https://example.com/new'],
      ['events', ['open.attributed']],
      ['enabled', false],
      ['template', 'slack'],
      ['templateConfig', { mentionText: '@here' }],
    ] as const)
      it(`PATCH /v1/webhooks/{id} field: ${field}, optional; null does not change it`, async () => {
        const app = await world.newApp();
        const webhook = await newWebhook(world, app, { url: HOOK_URL, events: ['install.organic'] });
        const patch = (given: unknown) =>
          world.call('PATCH', `/v1/webhooks/${webhook.id}`, {
            key: app.keys.live,
            body: { [field]: given },
          });
        const asIs = await patch(null);
        assert.deepEqual([asIs.status, asIs.body], [200, webhook]);
        const changed = await patch(value);
        assert.deepEqual([changed.status, changed.body], [200, { ...webhook, [field]: value }]);
        assertError(await patch(7), 400, 'request.invalid', field);
      });

    it('PATCH /v1/webhooks/{id} field: events, an empty array means all events', async () => {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: HOOK_URL, events: ['install.organic'] });
      const call = { key: app.keys.live, body: { events: [] } };
      assert.deepEqual((await world.call('PATCH', `/v1/webhooks/${id}`, call)).body.events, []);
    });

    it('PATCH /v1/webhooks/{id} field: templateConfig, replaced as a whole', async () => {
      const app = await world.newApp();
      const options = { mentionText: '@here', accentColor: '#0ea5e9' };
      const webhook = await newWebhook(world, app, {
        url: HOOK_URL,
        template: 'slack',
        templateConfig: options,
      });
      for (const templateConfig of [{ accentColor: '#ff0000' }, {}]) {
        const call = { key: app.keys.live, body: { templateConfig } };
        const { body } = await world.call('PATCH', `/v1/webhooks/${webhook.id}`, call);
        assert.deepEqual(body, { ...webhook, templateConfig });
      }
    });

    it('PATCH /v1/webhooks/{id} never leaves a webhook with neither secret nor template', async () => {
      const app = await world.newApp();
      const webhook = await newWebhook(world, app, { url: HOOK_URL, secret: undefined, template: 'teams' });
      const call = { key: app.keys.live, body: { template: null, secret: null, templateConfig: null } };
      const { status, body } = await world.call('PATCH', `/v1/webhooks/${webhook.id}`, call);
      assert.deepEqual([status, body], [200, webhook]);
    });

    it('DELETE /v1/webhooks/{id} returns 204 with no body, and the webhook is deleted', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const path = `/v1/webhooks/${(await newWebhook(world, app, { url: HOOK_URL })).id}`;
      const { status, text } = await world.call('DELETE', path, { key });
      assert.deepEqual([status, text], [204, '']);
      assertError(await world.call('GET', path, { key }), 404, RECORD_NOT_FOUND);
      assert.deepEqual((await world.call('GET', '/v1/webhooks', { key })).body, []);
    });

    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      it(`${method} of an unknown webhook, or another app’s, gets 404`, async () => {
        const owner = await world.newApp();
        const { id } = await newWebhook(world, owner, { url: HOOK_URL });
        const { live: key } = (await world.newApp()).keys;
        const body = method === 'PATCH' ? { enabled: false } : undefined;
        for (const unseen of [id, NO_ID, 'no-uuid'])
          assertError(
            await world.call(method, `/v1/webhooks/${unseen}`, { key, body }),
            404,
            RECORD_NOT_FOUND,
          );
        assert.equal(
          (await world.call('GET', `/v1/webhooks/${id}`, { key: owner.keys.live })).body.enabled,
          true,
        );
      });

    it('GET /v1/webhooks/templates lists id, name and description: slack, discord, teams', async () => {
      const { keys } = await world.newApp();
      const { status, body } = await world.call('GET', '/v1/webhooks/templates', { key: keys.live });
      assert.equal(status, 200);
      const shown = body.map(({ id, name }: { id: string; name: string }) => [id, name]);
      assert.deepEqual(shown, [
        ['slack', 'Slack'],
        ['discord', 'Discord'],
        ['teams', 'Microsoft Teams'],
      ]);
      for (const { description } of body) assert.ok(typeof description === 'string' && description !== '');
    });

    it('a test key reads webhooks of live keys too, but changes those of test keys alone', async () => {
      const app = await world.newApp();
      const webhook = await newWebhook(world, app, { url: HOOK_URL });
      const own = await newWebhook(world, app, { url: HOOK_URL }, app.keys.test);
      const change = { key: app.keys.test, body: { enabled: false } };
      const path = `/v1/webhooks/${webhook.id}`;
      for (const answer of [
        await world.call('PATCH', path, change),
        await world.call('DELETE', path, { key: app.keys.test }),
      ])
        assertError(answer, 404, 'webhook.not_found', 'secret live key');
      assert.equal((await world.call('PATCH', `/v1/webhooks/${own.id}`, change)).status, 200);
      assert.equal((await world.call('GET', '/v1/webhooks', { key: app.keys.test })).body.length, 2);
    });
  });
