/** Requests are worked on one after the other and completed together; one that fails again and again holds up no other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isoTime, SECOND_MS } from '../src/platform/clock.ts';
import type { Ctx } from '../src/platform/ctx.ts';
import { type ErasureRequest, insertErasureRequests } from '../src/privacy/queries.ts';
import { engines } from './engines.ts';
import { waitFor } from './wait-for.ts';
import { type TestApp, useWorld, type World } from './world.ts';

for (const engine of engines)
  describe(`erasure requests on ${engine}`, () => {
    const world = useWorld(engine);

    it('one that fails waits behind the others, and is completed once it can be', async () => {
      const app = await world.newApp();
      const { ctx } = world.service;
      const failing = await plantFailing(world, app);
      const call = { key: app.keys.live, body: { userId: 'bob' } };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', call)).body;
      await completed(world, app, requestIds[0]);
      const { body } = await world.call('GET', `/v1/privacy/erase/${failing}`, { key: app.keys.live });
      assert.equal(body.status, 'pending');

      await ctx.db.updateTable('erasure_requests').set({ counts: '{}' }).where('id', '=', failing).execute();
      await completed(world, app, failing);
    });

    it('many that wait are completed together, with the files of the database scrubbed once or little more', async (t) => {
      const app = await world.newApp();
      const { ctx } = world.service;
      const scrubbing = t.mock.method(ctx.store, 'scrubFiles');
      const waiting = Array.from({ length: 40 }, (_, place) =>
        newRequest(ctx, app, { userId: `user ${place}` }),
      );
      await insertErasureRequests(ctx.db, waiting);
      const call = { key: app.keys.live, body: { userId: 'the last' } };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', call)).body;
      for (const id of [...waiting.map((request) => request.id), ...requestIds])
        await completed(world, app, id);
      assert.ok(scrubbing.mock.callCount() <= 10, `scrubbed ${scrubbing.mock.callCount()} times`);
    });
  });

/** A request on which a fault of ours comes whenever a record is scrubbed: its counts are none. */
async function plantFailing(world: World, app: TestApp): Promise<string> {
  const { ctx } = world.service;
  const { installId } = (await world.install(app)).body;
  await world.call('POST', '/v1/sdk/identify', { key: app.keys.live, body: { installId, userId: 'ada' } });
  const request = { ...newRequest(ctx, app, { userId: 'ada' }), counts: '7' };
  await insertErasureRequests(ctx.db, [request]);
  return request.id;
}

function newRequest(ctx: Ctx, app: TestApp, { userId }: { userId: string }): ErasureRequest {
  return {
    app_id: app.id,
    id: ctx.ids.next(),
    sandbox: 0,
    ip_hash: null,
    user_id: userId,
    requested_at: isoTime(ctx.clock.nowMs()),
    ways_found_at: null,
    scrubbed_at: null,
    completed_at: null,
    counts: '{}',
  };
}

async function completed(world: World, app: TestApp, id: string): Promise<void> {
  const look = async () => {
    const { body } = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
    return body.status === 'completed' ? true : undefined;
  };
  await waitFor(`${id} is completed`, look, { withinMs: 10 * SECOND_MS });
}
