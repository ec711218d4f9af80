/** An export is sent as it is read: a fault in the middle ends it unfinished, and is news in the log. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOfPerson } from '../src/events/index.ts';
import { engines } from './engines.ts';
import { useWorld } from './world.ts';

for (const engine of engines)
  describe(`an export on ${engine}`, () => {
    const world = useWorld(engine);

    it('that fails half-way ends in no valid JSON and in a line of the log', async (t) => {
      const app = await world.newApp();
      const logged = t.mock.method(world.service.ctx.log, 'error', () => undefined);
      t.mock.method(eventsOfPerson, 'find', () => {
        throw new Error('the database is away');
      });
      const call = { key: app.keys.live, body: { userId: 'ada' } };
      const exported = world.call('POST', '/v1/privacy/export', call);
      await assert.rejects(exported);
      assert.equal(logged.mock.callCount(), 1);
      const logLine: unknown[] = logged.mock.calls[0]?.arguments ?? [];
      assert.equal(logLine[1], 'an export broke off');
      assert.ok((logLine[0] as { requestId: string }).requestId);
    });
  });
