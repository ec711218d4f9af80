/** Destinations: what reaches them, and what becomes of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  batchesOf,
  forwarded,
  newEvents,
  newInstall,
  newSegment,
  useStandInSegment,
} from '../../helpers/destinations.ts';
import { engines } from '../../helpers/engines.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`destinations on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const segment = useStandInSegment();

    it('an install and its events arrive in one call, with the ids of the records', async () => {
      const app = await world.newApp();
      const source = segment.newSource();
      const { id } = await newSegment(world, app, source);
      const installId = await newInstall(world, app);
      const eventIds = await newEvents(world, app, installId, ['signup', 'purchase']);
      await forwarded(world, source, 1);
      assert.deepEqual(source.ids.toSorted(), [installId, ...eventIds].toSorted());
      const [attempt] = await batchesOf(world, app, id, 1);
      assert.deepEqual([attempt.success, attempt.httpStatus, attempt.summary], [true, 200, null]);
      assert.deepEqual(attempt.records[0], { kind: 'install', id: installId });
    });
  });
