/** Requests are worked on one after the other; one that fails again and again holds up no other. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isoTime, SECOND_MS } from '../src/platform/clock.ts';
import { engines } from './engines.ts';
import { waitFor } from './webhook-scene.ts';
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
  });

/** A request on which a fault of ours comes whenever a record is scrubbed: its counts are none. */
async function plantFailing(world: World, app: TestApp): Promise<string> {
  const { ctx } = world.service;
  const { installId } = (await world.install(app)).body;
  await world.call('POST', '/v1/sdk/identify', { key: app.keys.live, body: { installId, userId: 'ada' } });
  const id = ctx.ids.next();
  await ctx.db
    .insertInto('erasure_requests')
    .values({
      app_id: app.id,
      id,
      sandbox: 0,
      ip_hash: null,
      user_id: 'ada',
      requested_at: isoTime(ctx.clock.nowMs()),
      ways_found_at: null,
      scrubbed_at: null,
      completed_at: null,
      counts: '7',
    })
    .execute();
  return id;
}

async function completed(world: World, app: TestApp, id: string): Promise<void> {
  const look = async () => {
    const { body } = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
    return body.status === 'completed' ? true : undefined;
  };
  await waitFor(`${id} is completed`, look, { withinMs: 10 * SECOND_MS });
}
