/** Erasure requests run in batches, round robin over the apps, and a failing request does not delay others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { eraseBatch, inFairOrder, type Progress } from '../../../src/privacy/erase-batch.ts';
import {
  type ErasureRequest,
  findErasureRequest,
  insertErasureRequests,
  listPendingErasures,
  type PendingErasure,
} from '../../../src/privacy/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { erase, newErasureRequest } from '../../helpers/privacy-scene.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld, type World } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`erasure requests on ${engine}`, () => {
    const world = useWorld(engine);

    it('that fail are retried after the others, until they succeed', async () => {
      const app = await world.newApp();
      const { service } = world;
      const failing = await plantFailing(world, app);
      const call = { key: app.keys.live, body: { userId: 'bob' } };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', call)).body;
      await completed(world, app, requestIds[0]);
      const { body } = await world.call('GET', `/v1/privacy/erase/${failing}`, { key: app.keys.live });
      assert.equal(body.status, 'pending');

      await service.db
        .updateTable('erasure_requests')
        .set({ counts: '{}' })
        .where('id', '=', failing)
        .execute();
      await completed(world, app, failing);
    });

    it('that wait are completed together, with few scrubbing runs', async (t) => {
      const app = await world.newApp();
      const { service } = world;
      const scrubbing = t.mock.method(service.store, 'scrubFiles');
      const waiting = Array.from({ length: 40 }, (_, place) =>
        newErasureRequest(service, app, { userId: `user ${place}` }),
      );
      await insertErasureRequests(service.db, waiting);
      const call = { key: app.keys.live, body: { userId: 'the last' } };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', call)).body;
      for (const id of [...waiting.map((request) => request.id), ...requestIds])
        await completed(world, app, id);
      assert.ok(scrubbing.mock.callCount() <= 10, `scrubbed ${scrubbing.mock.callCount()} times`);
    });

    it('wait for an install that is waiting for its click, and erase it', async (t) => {
      const app = await world.newApp();
      const { service } = world;
      const from = freshAddress();
      const waiting = Promise.withResolvers<void>();
      const isApplied = Promise.withResolvers<void>();
      t.after(() => isApplied.resolve());
      t.mock.method(service.clickLog, 'applied', async () => {
        waiting.resolve();
        await isApplied.promise;
      });
      const install = world.install(app, {}, { from });
      await waiting.promise;
      let isCompleted = false;
      const erasing = erase(world, app, { ipAddress: from }).then(() => {
        isCompleted = true;
      });
      await sleep(2 * SECOND_MS);
      assert.equal(isCompleted, false);
      isApplied.resolve();
      const { installId } = (await install).body;
      await erasing;
      const stored = await service.db
        .selectFrom('installs')
        .select(['ip_hash', 'device_model'])
        .where('app_id', '=', app.id)
        .where('id', '=', installId)
        .executeTakeFirst();
      assert.deepEqual({ ...stored }, { ip_hash: null, device_model: null });
    });

    it('a flood of one app does not delay another app’s first request', async () => {
      const [flooding, other] = [await world.newApp(), await world.newApp()];
      const { service } = world;
      const flood = Array.from({ length: 130 }, (_, place) =>
        newErasureRequest(service, flooding, { userId: `user ${place}` }),
      );
      const behind = newErasureRequest(service, other, { userId: 'ada' });
      await insertErasureRequests(service.db, [...flood, behind]);
      await world.call('POST', '/v1/privacy/erase', { key: other.keys.live, body: { userId: 'bob' } });
      await completed(world, flooding, flood.at(-1)?.id ?? '');
      const completedAt = async (request: ErasureRequest) =>
        (await findErasureRequest(service.db, request.app_id, request.id))?.completed_at ?? '';
      assert.ok((await completedAt(behind)) <= (await completedAt(flood[50] ?? behind)));
    });

    it('a batch of several apps’ requests flushes the journals twice, whatever their number', async () => {
      const apps = [await world.newApp(), await world.newApp()];
      const { service } = world;
      const waiting = apps.flatMap((app) =>
        ['ada', 'bob', 'cyd'].map((userId) => newErasureRequest(service, app, { userId })),
      );
      await insertErasureRequests(service.db, waiting);
      let flushes = 0;
      const flushAll = async () => {
        flushes += 1;
        return new Set<string>();
      };
      const journalFlushes = {
        serve: () => undefined,
        lastOutage: () => null,
        flushAll,
        stop: async () => undefined,
      };
      const progress: Progress = { servedAtMs: new Map(), failed: new Set(), away: null };
      const page = { without: [], limit: 100 };
      const { requests: pending } = await listPendingErasures(service.db, page);
      assert.deepEqual(
        pending.map(({ app_id }) => app_id),
        [0, 1, 0, 1, 0, 1].map((place) => apps[place]?.id),
      );
      await eraseBatch({ ...service, journalFlushes }, pending, { progress, goOn: async () => undefined });
      assert.equal(flushes, 2);
      assert.deepEqual((await listPendingErasures(service.db, page)).requests, []);
    });
  });

describe('the queue of erasures', () => {
  it('starts with the app served least recently, so that large requests of one app do not delay others', () => {
    const request = (app_id: string, position: number) => ({ app_id, position }) as PendingErasure;
    const pending = [request('large', 1), request('other', 1), request('new', 1), request('large', 2)];
    const servedAtMs = new Map([
      ['other', 10],
      ['large', 20],
    ]);
    assert.deepEqual(
      inFairOrder(pending, { servedAtMs, failed: new Set(), away: null }).map(({ app_id }) => app_id),
      ['new', 'other', 'large', 'large'],
    );
  });
});

/** A request whose scrubbing fails with an internal error, because its counts are invalid. */
async function plantFailing(world: World, app: TestApp): Promise<string> {
  const { service } = world;
  const { installId } = (await world.install(app)).body;
  await world.call('POST', '/v1/sdk/identify', { key: app.keys.live, body: { installId, userId: 'ada' } });
  const request = { ...newErasureRequest(service, app, { userId: 'ada' }), counts: '7' };
  await insertErasureRequests(service.db, [request]);
  return request.id;
}

async function completed(world: World, app: TestApp, id: string): Promise<void> {
  const look = async () => {
    const { body } = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
    return body.status === 'completed' ? true : undefined;
  };
  await waitFor(`${id} is completed`, look, { withinMs: 10 * SECOND_MS });
}
