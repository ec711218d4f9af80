/** Records that an earlier version erased. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { upgradeStore } from '../../helpers/earlier-version.ts';
import { engines } from '../../helpers/engines.ts';

for (const engine of engines)
  describe(`records of an earlier version on ${engine}`, () => {
    it('that are erased have the time of the app’s last erasure after an upgrade, others none', async (t) => {
      const app_id = randomUUID();
      const at = '2026-11-24T12:00:00.000Z';
      const event = {
        ...{ app_id, install_id: randomUUID(), event_name: 'level', properties: '{}', sandbox: 0 },
        ...{ occurred_at: at, created_at: at },
      };
      const [kept, erased] = [randomUUID(), randomUUID()];
      const request = { app_id, sandbox: 0, requested_at: at, counts: '{}' };
      const scrubbedAt = ['2026-11-24T13:00:00.000Z', '2026-11-24T14:00:00.000Z'];
      const upgraded = await upgradeStore(t, {
        engine,
        added: '0022_find_records',
        fill: async (db) => {
          await db
            .insertInto('events')
            .values([
              { ...event, id: kept, erased: null },
              { ...event, id: erased, erased: 1 },
            ])
            .execute();
          await db
            .insertInto('erasure_requests')
            .values(scrubbedAt.map((scrubbed_at) => ({ ...request, id: randomUUID(), scrubbed_at })))
            .execute();
        },
      });
      const rows = await upgraded.db.selectFrom('events').select(['id', 'erased_at']).execute();
      assert.deepEqual(
        new Map(rows.map(({ id, erased_at }) => [id, erased_at])),
        new Map([
          [kept, null],
          [erased, scrubbedAt.at(-1)],
        ]),
      );
    });
  });
