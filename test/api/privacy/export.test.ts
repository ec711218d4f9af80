/** An export is streamed: a fault midway truncates it and is logged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOfPerson } from '../../../src/events/index.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`an export on ${engine}`, () => {
    const world = useWorld(engine);

    it('that fails midway is invalid JSON, and is logged', async (t) => {
      const app = await world.newApp();
      const logged = t.mock.method(world.service.log, 'error', () => undefined);
      t.mock.method(eventsOfPerson, 'find', () => {
        throw new Error('the database is unavailable');
      });
      const call = { key: app.keys.live, body: { userId: 'ada' } };
      const exported = world.call('POST', '/v1/privacy/export', call);
      await assert.rejects(exported);
      assert.equal(logged.mock.callCount(), 1);
      const logLine: unknown[] = logged.mock.calls[0]?.arguments ?? [];
      assert.equal(logLine[1], 'Failed to complete an export');
      assert.ok((logLine[0] as { requestId: string }).requestId);
    });
  });
