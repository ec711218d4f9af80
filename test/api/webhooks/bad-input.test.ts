/** Invalid webhooks are rejected. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const GOOD = { url: 'https://example.com/hook', secret: 'a secret', template: null as string | null };

/** Description, the field that the error must name, and the invalid fields of the body. */
const BAD: readonly (readonly [title: string, field: string, changes: Record<string, unknown>])[] = [
  ['an unknown event type', 'events', { events: ['install.organic', 'install.deleted'] }],
  ['an event type in another case', 'events', { events: ['Install.Organic'] }],
  ['an empty event type', 'events', { events: [''] }],
  ['an event type that is not a string', 'events', { events: [7] }],
  ['events that are not a list', 'events', { events: 'install.organic' }],
  ['events of 200 items', 'events', { events: Array.from({ length: 200 }, () => 'install.organic') }],
  ['an unknown template', 'template', { template: 'irc' }],
  ['a template in another case', 'template', { template: 'Slack' }],
  ['an empty template', 'template', { template: '' }],
  ['a template named like an inherited property', 'template', { template: 'constructor' }],
  ...['red', '16a34a', '#16a34', '#16a34a0', '#16a34g', '#16a34a\n', ' #16a34a', '', 7].map(
    (accentColor) =>
      [
        `${JSON.stringify(accentColor)} as a colour`,
        'templateConfig.accentColor',
        { template: 'slack', templateConfig: { accentColor } },
      ] as const,
  ),
  [
    'a mention that is not a string',
    'templateConfig.mentionText',
    { templateConfig: { mentionText: ['@here'] } },
  ],
  ['a mention of 2,001 characters', 'mentionText', { templateConfig: { mentionText: 'm'.repeat(2_001) } }],
  ['a templateConfig that is not an object', 'templateConfig', { templateConfig: 'red' }],
  ['unknown retries', 'retries', { retries: 'forever' }],
  ['retries in another case', 'retries', { retries: 'Extended' }],
  ['retries that are a number', 'retries', { retries: 12 }],
  ['no secret and no template', 'secret', { secret: undefined }],
  ['a secret of null and no template', 'secret', { secret: null }],
  ['an empty secret', 'secret', { secret: '' }],
  ['a secret of 300 characters', 'secret', { secret: 's'.repeat(300) }],
  ['a secret that is not a string', 'secret', { secret: 12_345_678 }],
  ['no url', 'url', { url: undefined }],
  ['a url of null', 'url', { url: null }],
  ['a masked url', 'url', { url: 'https://hooks.slack.com/…' }],
  ['a masked url in its encoded form', 'url', { url: 'https://hooks.slack.com/%e2%80%a6' }],
  ...['Generate', 'GENERATE', ' generate', 'generate\n'].map(
    (secret) => [`a secret of ${JSON.stringify(secret)}`, 'secret', { secret }] as const,
  ),
  ['a url of 2,049 characters', 'url', { url: `https://example.com/${'a'.repeat(2_029)}` }],
];

for (const engine of engines)
  describe(`invalid input for webhooks on ${engine}`, () => {
    const world = useWorld(engine);

    for (const [title, field, changes] of BAD)
      it(`${title}: 400 that names ${field}, and no webhook is created`, async () => {
        const key = (await world.newApp()).keys.live;
        const answer = await world.call('POST', '/v1/webhooks', { key, body: { ...GOOD, ...changes } });
        assertError(answer, 400, 'request.invalid', field);
        assert.deepEqual((await world.call('GET', '/v1/webhooks', { key })).body, []);
      });

    it('a loopback address: 400 that says how it can be allowed', async () => {
      const key = (await world.newApp()).keys.live;
      for (const url of ['http://127.0.0.1:9000/hook', 'http://localhost/hook', 'http://10.0.0.8/'])
        assertError(
          await world.call('POST', '/v1/webhooks', { key, body: { ...GOOD, url } }),
          400,
          'request.invalid',
          'WEBHOOK_ALLOW_CIDRS',
        );
    });

    for (const [title, field, changes] of BAD) {
      const [value] = Object.values(changes);
      if (value === undefined || value === null) continue;
      it(`${title} in a PATCH: 400 that names ${field}, and no change`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const webhook = await newWebhook(world, app, GOOD);
        const path = `/v1/webhooks/${webhook.id}`;
        const patched = await world.call('PATCH', path, { key, body: { enabled: false, ...changes } });
        assertError(patched, 400, 'request.invalid', field);
        const { health: _health, ...after } = (await world.call('GET', path, { key })).body;
        assert.deepEqual(after, webhook);
      });
    }

    it('an app has at most 100 webhooks: the next one gets 409, until one is deleted', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const create = () => world.call('POST', '/v1/webhooks', { key, body: GOOD });
      for (let made = 0; made < 100; made++) assert.equal((await create()).status, 201);
      assertError(await create(), 409, 'webhook.too_many');
      const { body } = await world.call('GET', '/v1/webhooks', { key });
      assert.equal(body.length, 100);
      await world.call('DELETE', `/v1/webhooks/${body[0].id}`, { key });
      assert.equal((await create()).status, 201);
      assertError(await create(), 409, 'webhook.too_many');
      await newWebhook(world, await world.newApp(), {
        url: 'https://example.com/',
        events: ['install.organic'],
      });
    });

    it('concurrent creations never exceed 100', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      for (let made = 0; made < 95; made++) await newWebhook(world, app, GOOD);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world.call('POST', '/v1/webhooks', { key, body: GOOD })),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 5);
      assert.equal(answers.filter(({ status }) => status === 409).length, 15);
      assert.equal((await world.call('GET', '/v1/webhooks', { key })).body.length, 100);
    });
  });
