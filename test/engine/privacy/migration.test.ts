/** Erasures of a version whose table of identifiers had another name. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { upgradeStore } from '../../helpers/earlier-version.ts';
import { engines } from '../../helpers/engines.ts';

for (const engine of engines)
  describe(`erasures of an earlier version on ${engine}`, () => {
    it('keep after an upgrade the identifiers that were found before it, and when', async (t) => {
      const app_id = randomUUID();
      const at = '2026-11-24T12:00:00.000Z';
      const request = {
        ...{ app_id, sandbox: 0, user_id: 'ada', ip_hash: null, requested_at: at },
        ...{ scrubbed_at: null, completed_at: null, counts: '{}' },
      };
      const begun = { ...request, id: randomUUID(), ways_found_at: at };
      const waiting = { ...request, id: randomUUID(), ways_found_at: null };
      const identifier = { app_id, request_id: begun.id, kind: 'installs', value: randomUUID() };
      const upgraded = await upgradeStore(t, {
        engine,
        added: '0017_erasure_identifiers',
        fill: async (db) => {
          await db.insertInto('erasure_requests').values([begun, waiting]).execute();
          await db.insertInto('erasure_ways').values(identifier).execute();
        },
      });
      const requests = await upgraded.db
        .selectFrom('erasure_requests')
        .select(['id', 'identifiers_found_at'])
        .where('app_id', '=', app_id)
        .execute();
      const identifiers = await upgraded.db.selectFrom('erasure_identifiers').selectAll().execute();
      assert.deepEqual(
        new Map(requests.map(({ id, identifiers_found_at: foundAt }) => [id, foundAt])),
        new Map([
          [begun.id, at],
          [waiting.id, null],
        ]),
      );
      assert.deepEqual(identifiers, [identifier]);
    });
  });
