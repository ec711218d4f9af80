import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { assertCounted } from '../../helpers/counts.ts';
import { engines } from '../../helpers/engines.ts';
import { openPage, SIGNALS, STORES } from '../../helpers/landing-scene.ts';
import { useTwoNodes } from '../../helpers/nodes.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { DESKTOP, freshAddress, type World } from '../../helpers/world.ts';

/** Within this time, an install that names an unknown click still waits; it is delayed for two seconds. */
const WAITING_FOR_MS = 500;

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

if (engines.includes('postgres'))
  describe('two nodes on one PostgreSQL', () => {
    const nodes = useTwoNodes();
    const { first } = nodes;

    it('a revoked key stops working on the other node within 5 seconds', async () => {
      const app = await first.newApp();
      const list = () => nodes.second.call('GET', '/v1/links', { key: app.keys.live });
      assert.equal((await list()).status, 200);
      const keys = (await first.admin('GET', `/apps/${app.id}/keys`)).body as { id: string; kind: string }[];
      const { id } = keys.find(({ kind }) => kind === 'live') ?? { id: '' };
      assert.equal((await first.admin('DELETE', `/apps/${app.id}/keys/${id}`)).status, 204);
      nodes.second.clock.advance(5 * SECOND_MS);
      assert.equal((await list()).status, 401);
    });

    it('a link change applies on the other node within a second', async () => {
      const app = await first.newApp();
      const { shortCode } = await first.newLink(app, { fallbackUrl: 'https://example.com/1' });
      const whereTo = async () =>
        (await nodes.second.tap(shortCode, { userAgent: DESKTOP })).headers.location;
      assert.equal(await whereTo(), 'https://example.com/1');
      const body = { fallbackUrl: 'https://example.com/2' };
      await first.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body });
      nodes.second.clock.advance(SECOND_MS);
      assert.equal(await whereTo(), 'https://example.com/2');
    });

    it('a webhook created or changed on one node applies to the events of the other at once', async () => {
      const app = await first.newApp();
      const from = freshAddress();
      const told = async () =>
        (
          await first.service.db
            .selectFrom('webhook_messages')
            .select('event_type')
            .where('app_id', '=', app.id)
            .orderBy('event_type')
            .execute()
        ).map(({ event_type }) => event_type);
      const happen = async () => {
        const { installId } = (await nodes.second.install(app, {}, { from })).body;
        const event = { installId, eventName: 'bought' };
        const key = app.keys.live;
        for (const [path, body] of [
          ['/v1/sdk/event', event],
          ['/v1/sdk/events', { events: [event] }],
        ] as const)
          assert.ok((await nodes.second.call('POST', path, { key, body, from })).status < 300);
      };
      await happen();
      assert.deepEqual(await told(), []);
      const { id } = await newWebhook(first, app, { url: 'https://receiver.invalid/', events: [] });
      await happen();
      const all = ['event.recorded', 'event.recorded', 'install.organic'];
      assert.deepEqual(await told(), all);
      const body = { events: ['install.organic'] };
      await first.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body });
      await happen();
      assert.deepEqual(await told(), [...all, 'install.organic']);
    });

    it('an install that waits for a click of the other node is delivered to a webhook created in the meantime', async () => {
      const app = await first.newApp();
      const { service } = nodes.second;
      const unknown = service.ids.next();
      const install = nodes.second.install(app, { clickId: unknown }, { from: freshAddress() });
      await sleep(WAITING_FOR_MS);
      await newWebhook(first, app, { url: 'https://receiver.invalid/', events: [] });
      assert.equal((await install).body.method, 'ORGANIC');
      const told = await service.db
        .selectFrom('webhook_messages')
        .select('event_type')
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(told, [{ event_type: 'install.organic' }]);
    });

    it('an erasure through one node waits for the install that the other one is recording', async () => {
      const app = await first.newApp();
      const { service } = nodes.second;
      const from = freshAddress();
      const install = nodes.second.install(app, { clickId: service.ids.next() }, { from });
      await sleep(WAITING_FOR_MS);
      await erase(first, app, { ipAddress: from });
      const { installId } = (await install).body;
      const stored = await service.db
        .selectFrom('installs')
        .select(['ip_hash', 'device_model', 'fingerprint'])
        .where('app_id', '=', app.id)
        .where('id', '=', installId)
        .executeTakeFirst();
      assert.deepEqual(stored, { ip_hash: null, device_model: null, fingerprint: null });
    });

    it('the documented limits are exact across both', async () => {
      const app = await first.newApp();
      const create = (node: World) =>
        node.call('POST', '/v1/links', { key: app.keys.live, body: { deepLinkPath: '/' } });
      const answers = await Promise.all(
        Array.from({ length: 70 }, (_, turn) => create(turn % 2 === 0 ? first : nodes.second)),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, 60);
      assert.equal(answers.filter(({ status }) => status === 429).length, 10);
    });

    it('a click recorded on one node attributes an install that reaches the other at the same moment', async () => {
      const app = await first.newApp();
      const { shortCode } = await first.newLink(app, PLAY);
      const clickId = await first.clickId(shortCode, { from: freshAddress() });
      assert.equal((await nodes.second.install(app, { clickId })).body.method, 'CLICK_ID');
    });

    it('signals of a page from one node are accepted by the other', async () => {
      const { shortCode } = await first.newLink(await first.newApp(), STORES);
      const { data } = await openPage(first, shortCode);
      const body = { clickId: data.click, proof: data.proof, ...SIGNALS };
      const { status, text } = await nodes.second.call('POST', `/l/${shortCode}/signals`, { body });
      assert.equal(status, 204, text);
    });

    it('a click is claimed once, and an install recorded once, on either node', async () => {
      const app = await first.newApp();
      const { shortCode } = await first.newLink(app, PLAY);
      for (let turn = 0; turn < 10; turn++) {
        const clickId = await first.clickId(shortCode, { from: freshAddress() });
        const body = { clickId, installId: randomUUID() };
        const rival = { clickId, installId: randomUUID() };
        const answers = await Promise.all([
          first.install(app, body, { from: freshAddress() }),
          nodes.second.install(app, body, { from: freshAddress() }),
          nodes.second.install(app, rival, { from: freshAddress() }),
        ]);
        assert.deepEqual(answers[0].body, answers[1].body);
        assert.equal(
          [answers[0], answers[2]].filter((answer) => answer.body.method === 'CLICK_ID').length,
          1,
        );
      }
    });

    it('concurrent clicks, installs, opens and events of the same links are all counted', async () => {
      const app = await first.newApp();
      const links = await Promise.all([first.newLink(app, PLAY), first.newLink(app, PLAY)]);
      const one = async (turn: number) => {
        const node = turn % 2 === 0 ? first : nodes.second;
        const from = freshAddress();
        const clickId = await node.clickId(links[turn % 3 === 0 ? 0 : 1].shortCode, { from });
        const { installId } = (await node.install(app, { clickId }, { from })).body;
        const events = ['a', 'b'].map((eventName) => ({ installId, eventName }));
        const { status } = await node.call('POST', '/v1/sdk/events', {
          key: app.keys.live,
          body: { events },
          from,
        });
        assert.equal(status, 200);
      };
      await Promise.all(Array.from({ length: 60 }, (_, turn) => one(turn)));
      for (const node of [first, nodes.second]) await node.service.clickLog.applied();
      await assertCounted(first.place);
      const totals = await Promise.all(
        links.map(async ({ shortCode }) => {
          const path = `/v1/links/${shortCode}/stats`;
          return (await nodes.second.call('GET', path, { key: app.keys.live })).body.totals;
        }),
      );
      assert.deepEqual(
        totals.map(({ clicks, installs, events }) => [clicks, installs, events]),
        [
          [20, 20, 40],
          [40, 40, 80],
        ],
      );
    });

    it('the same Idempotency-Key on both concurrently creates one link', async () => {
      const app = await first.newApp();
      const create = (node: World) =>
        node.call('POST', '/v1/links', {
          key: app.keys.live,
          headers: { 'idempotency-key': 'once' },
          body: { deepLinkPath: '/' },
        });
      const answers = await Promise.all([
        create(first),
        create(nodes.second),
        create(first),
        create(nodes.second),
      ]);
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
      assert.ok(answers.every(({ status }) => status === 201));
    });
  });
