/** What one app sends, and how many webhooks it has, does not hold up the calls of another. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { isShared } from '../../src/db/index.ts';
import { recordEvents } from '../../src/events/record-batch.ts';
import { createTurns } from '../../src/lib/turns.ts';
import { engines } from '../helpers/engines.ts';
import { refuseInserts } from '../helpers/refuse-inserts.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { newWebhook } from '../helpers/webhooks.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

/** As many as an app can have. */
const WEBHOOKS = 100;
const BATCHES = 20;

for (const engine of engines)
  describe(`floods of events on ${engine}`, () => {
    const world = useWorld(engine);

    async function newInstall(app: TestApp): Promise<string> {
      const { status, body } = await world.install(app, {}, { from: freshAddress() });
      assert.equal(status, 200);
      return body.installId;
    }

    const newBatch = (installId: string, length: number, properties = {}) =>
      Array.from({ length }, (_, n) => ({
        ...{ eventId: randomUUID(), installId, eventName: `event ${n % 5}`, properties },
      }));

    const send = async (app: TestApp, events: readonly object[]) =>
      await world.call('POST', '/v1/sdk/events', {
        ...{ key: app.keys.live_publishable, from: freshAddress(), body: { events } },
      });

    async function addWebhooks(app: TestApp, fieldsOf: (n: number) => Record<string, unknown>) {
      for (let n = 0; n < WEBHOOKS; n++)
        await newWebhook(world, app, {
          ...{ url: `https://receiver.invalid/${n}`, events: ['event.recorded'], ...fieldsOf(n) },
        });
    }

    async function countOf(app: TestApp, table: 'events' | 'webhook_messages' | 'webhook_queue') {
      const rows = world.service.db.selectFrom(table).select(({ fn }) => fn.countAll().as('n'));
      return Number((await rows.where('app_id', '=', app.id).executeTakeFirstOrThrow()).n);
    }

    /** Fails unless another app's installs are answered while the calls run. */
    async function assertOthersGetTurns(
      other: TestApp,
      calls: readonly Promise<unknown>[],
      installs: number,
    ) {
      let ended = 0;
      for (const call of calls) void call.finally(() => (ended += 1));
      for (let n = 0; n < installs; n++) await newInstall(other);
      assert.ok(
        ended < calls.length / 2,
        `${ended} of ${calls.length} calls had ended before ${installs} installs`,
      );
      await Promise.all(calls);
    }

    for (const [kind, fieldsOf, events] of [
      ['signed', () => ({}), 300],
      ['chat', (n: number) => ({ template: 'slack', templateConfig: { mentionText: `@${n}` } }), 25],
    ] as const)
      it(`another app's installs are answered while a batch for ${WEBHOOKS} ${kind} webhooks is recorded`, async () => {
        const [app, other] = [await world.newApp(), await world.newApp()];
        await addWebhooks(app, fieldsOf);
        const call = send(app, newBatch(await newInstall(app), events, { text: 'x<'.repeat(1_000) }));
        await assertOthersGetTurns(other, [call], 3);
        const { results } = (await call).body;
        assert.equal(results.length, events);
        // On a busy machine the call may end before the last ones are stored.
        const stored = results.filter((result: { status: number }) => result.status === 201).length;
        assert.equal(await countOf(app, 'events'), stored);
        assert.equal(await countOf(app, 'webhook_messages'), kind === 'chat' ? stored * WEBHOOKS : stored);
      });

    it(`another app's installs are answered while ${BATCHES} batches of 500 events wait`, async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const installId = await newInstall(app);
      const calls = Array.from({ length: BATCHES }, () => send(app, newBatch(installId, 500)));
      await assertOthersGetTurns(other, calls, 2);
      assert.equal(await countOf(app, 'events'), BATCHES * 500);
    });

    it('a batch that takes too long stores some of its events, and its results leave the others to a later call', async () => {
      const app = await world.newApp();
      await addWebhooks(app, () => ({}));
      const events = newBatch(await newInstall(app), 300);
      const actor = { appId: app.id, keyId: '', mode: 'live', publishable: true } as const;
      const sending = { actor, connectionAddress: freshAddress(), events };
      const inTurn = createTurns(1);
      const results = await recordEvents({ ...world.service, inTurn, maxBatchMs: 50 }, sending);
      const stored = results.filter(({ status }) => status === 201).length;
      assert.ok(stored > 0 && stored < events.length, `${stored} are stored`);
      assert.equal(stored, await countOf(app, 'events'));
      const left = results.slice(stored);
      assert.ok(left.every((result) => 'code' in result && result.code === 'server.busy'));
    });

    it('a fault in the middle of a batch: each result tells whether its event is stored, and a repeat stores the others once', async () => {
      const app = await world.newApp();
      await addWebhooks(app, () => ({}));
      const events = newBatch(await newInstall(app), 300);
      const call = send(app, events);
      await waitFor('the first events', async () => (await countOf(app, 'events')) > 0 || undefined, {
        everyMs: 5,
      });
      await refuseInserts(world.service.db, 'webhook_messages');
      const { status, body } = await call;
      assert.equal(status, 200);
      const statuses: number[] = body.results.map((result: { status: number }) => result.status);
      const stored = statuses.filter((each) => each === 201).length;
      assert.equal(stored, await countOf(app, 'events'));
      assert.ok(stored < events.length);
      assert.ok(statuses.slice(stored).every((each) => each >= 500));

      const { db } = world.service;
      await sql.raw(`drop trigger refuse${isShared(db) ? ' on webhook_messages' : ''}`).execute(db);
      const repeated = await send(app, events);
      assert.ok(repeated.body.results.every((result: { status: number }) => result.status === 201));
      assert.equal(await countOf(app, 'events'), events.length);
      assert.equal(await countOf(app, 'webhook_messages'), events.length);
    });
  });
