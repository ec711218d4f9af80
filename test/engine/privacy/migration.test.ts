/** Erasures of a version whose table of identifiers had another name. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { useWorld } from '../../helpers/world.ts';

const ADDED = '0017_erasure_identifiers';

for (const engine of engines)
  describe(`erasures of the previous version on ${engine}`, () => {
    const world = useWorld(engine);

    it('go on after an upgrade, with the identifiers that were found before it', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const installOf = async (userId: string) => {
        const { installId } = (await world.install(app)).body;
        await world.call('POST', '/v1/sdk/identify', { key, body: { installId, userId } });
        return installId as string;
      };
      const [found, notFound] = [await installOf('ada'), await installOf('bob')];
      const db = world.service.db as unknown as Kysely<Record<string, Record<string, unknown>>>;
      await sql`alter table erasure_identifiers rename to erasure_ways`.execute(db);
      await sql`alter table erasure_requests rename column identifiers_found_at to ways_found_at`.execute(db);
      await db.deleteFrom('schema_migrations').where('name', '=', ADDED).execute();
      const at = '2026-11-24T12:00:00.000Z';
      const request = {
        ...{ app_id: app.id, sandbox: 0, ip_hash: null, requested_at: at },
        ...{ scrubbed_at: null, completed_at: null, counts: '{}' },
      };
      const begun = { ...request, id: randomUUID(), user_id: 'ada', ways_found_at: at };
      const waiting = { ...request, id: randomUUID(), user_id: 'bob', ways_found_at: null };
      await db.insertInto('erasure_requests').values([begun, waiting]).execute();
      await db
        .insertInto('erasure_ways')
        .values({ app_id: app.id, request_id: begun.id, kind: 'installs', value: found })
        .execute();
      await world.close();

      await world.open();
      for (const { id } of [begun, waiting])
        await waitFor(`erasure ${id} is completed`, async () => {
          const { body } = await world.call('GET', `/v1/privacy/erase/${id}`, { key });
          return body.status === 'completed' ? true : undefined;
        });
      const rows = await world.service.db
        .selectFrom('installs')
        .select(['id', 'erased', 'user_id'])
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(
        rows.toSorted((a, b) => (a.id === found ? -1 : b.id === found ? 1 : 0)),
        [found, notFound].map((id) => ({ id, erased: 1, user_id: null })),
      );
      assert.deepEqual(await world.service.db.selectFrom('erasure_identifiers').selectAll().execute(), []);
    });
  });
