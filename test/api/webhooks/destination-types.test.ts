/** Products that a team looks at its numbers in, from the API's config to what they store. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formAll } from '../../../src/webhooks/destinations/form-batches.ts';
import { newEvents, newInstall } from '../../helpers/destinations.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { StandInAmplitude } from '../../helpers/stand-in-amplitude.ts';
import { StandInMixpanel } from '../../helpers/stand-in-mixpanel.ts';
import { StandInPosthog } from '../../helpers/stand-in-posthog.ts';
import { StandInSegment } from '../../helpers/stand-in-segment.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`types of destinations on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    const standIns = {
      amplitude: new StandInAmplitude(),
      mixpanel: new StandInMixpanel(),
      posthog: new StandInPosthog(),
      segment: new StandInSegment(),
    };
    before(() => Promise.all(Object.values(standIns).map((standIn) => standIn.open())));
    after(() => Promise.all(Object.values(standIns).map((standIn) => standIn.close())));

    const { amplitude, mixpanel, posthog, segment } = standIns;
    const configs = {
      amplitude: () => ({ apiKey: amplitude.apiKey }),
      mixpanel: () => ({
        projectId: mixpanel.projectId,
        username: mixpanel.username,
        secret: mixpanel.secret,
      }),
      posthog: () => ({ projectKey: posthog.projectKey }),
      segment: () => ({ writeKey: segment.writeKey }),
    };
    const call = async (app: TestApp, path: string, body: object) => {
      const answer = await world.call('POST', path, { key: app.keys.live, body });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };

    for (const type of ['amplitude', 'mixpanel', 'posthog', 'segment'] as const)
      it(`${type} stores an install and an event, and a preview shows no secret`, async () => {
        const app = await world.newApp();
        const { stored, baseUrl } = standIns[type];
        const config = { ...configs[type](), baseUrl };
        const { id } = await call(app, '/v1/destinations', { type, name: type, config });
        const installId = await newInstall(world, app);
        const [eventId = ''] = await newEvents(world, app, installId, ['purchase']);
        await formAll(world.service);
        const texts = await waitFor('both records', () =>
          stored.size === 2 ? [...stored.values()] : undefined,
        );
        const sent = JSON.stringify(texts);
        for (const part of [installId, eventId, 'Install Attributed', '"purchase"', '"plan":"pro"'])
          assert.ok(sent.includes(part), part);
        const { request } = await call(app, `/v1/destinations/${id}/preview`, { eventId });
        const { apiKey, secret, projectKey, writeKey } = config as Record<string, string>;
        const key = apiKey ?? secret ?? projectKey ?? writeKey ?? '';
        const headers = Object.values<string>(request.headers).map((value) => atobOf(value));
        assert.ok(!JSON.stringify([request, headers]).includes(key));
        assert.ok(request.body.includes(eventId));
      });

    it('http sends the body and headers of one’s own, and refuses what it cannot fill when it is saved', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const config = {
        url: hook.url,
        headers: { Authorization: 'Bearer abc' },
        body: {
          plan: '{{properties.plan}}',
          value: '{{revenue.amountAsNumber}}',
          text: '{{kind}} of {{installId}}',
        },
      };
      const wrong = { ...config, body: { plan: '{{plan}}' } };
      const body = { type: 'http', name: 'Own', config: wrong, events: ['event'] };
      const refusal = await world.call('POST', '/v1/destinations', { key: app.keys.live, body });
      assert.equal(refusal.status, 400);
      assert.match(
        refusal.text,
        /config\.body has the placeholder \{\{plan\}\}, which is not one of record,/,
      );
      await call(app, '/v1/destinations', { ...body, config });
      const installId = await newInstall(world, app);
      await newEvents(world, app, installId, ['purchase']);
      await formAll(world.service);
      const [received] = await hook.arrived();
      assert.equal(received?.headers.authorization, 'Bearer abc');
      assert.deepEqual(JSON.parse(String(received?.raw)), {
        plan: 'pro',
        value: null,
        text: `event of ${installId}`,
      });
    });
  });

function atobOf(header: string): string {
  return Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
}
