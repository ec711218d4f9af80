/** Records that an earlier version erased. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { type Migrations, openStore } from '../../../src/db/index.ts';
import { createLog } from '../../../src/lib/log.ts';
import { engines, makePlace } from '../../helpers/engines.ts';

const ADDED = '0022_find_records';

for (const engine of engines)
  describe(`records of an earlier version on ${engine}`, () => {
    it('that are erased have the time of the app’s last erasure after an upgrade, others none', async (t) => {
      const place = await makePlace(engine, { isEmpty: true });
      t.after(() => place.remove());
      const open = (known: Migrations) => openStore(place, known, createLog('silent'), () => undefined);
      const before = await open((types) =>
        Object.fromEntries(Object.entries(migrations(types)).filter(([name]) => name < ADDED)),
      );
      await before.migrate();
      const app_id = randomUUID();
      const at = '2026-11-24T12:00:00.000Z';
      const event = {
        ...{ app_id, install_id: randomUUID(), event_name: 'level', properties: '{}', sandbox: 0 },
        ...{ occurred_at: at, created_at: at },
      };
      const [kept, erased] = [randomUUID(), randomUUID()];
      const request = { app_id, sandbox: 0, requested_at: at, counts: '{}' };
      const db = before.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
      await db
        .insertInto('events')
        .values([
          { ...event, id: kept, erased: null },
          { ...event, id: erased, erased: 1 },
        ])
        .execute();
      const scrubbedAt = ['2026-11-24T13:00:00.000Z', '2026-11-24T14:00:00.000Z'];
      await db
        .insertInto('erasure_requests')
        .values(scrubbedAt.map((scrubbed_at) => ({ ...request, id: randomUUID(), scrubbed_at })))
        .execute();
      await before.close();

      const upgraded = await open(migrations);
      await upgraded.migrate();
      const rows = await upgraded.db.selectFrom('events').select(['id', 'erased_at']).execute();
      await upgraded.close();
      assert.deepEqual(
        new Map(rows.map(({ id, erased_at }) => [id, erased_at])),
        new Map([
          [kept, null],
          [erased, scrubbedAt.at(-1)],
        ]),
      );
    });
  });
