/** Erasure of an address that many people share, such as a carrier's, costs little for each of them. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { eraseRecords } from '../../../src/privacy/erase-records.ts';
import { addressHashes, findPerson } from '../../../src/privacy/find-person.ts';
import { ERASED } from '../../../src/privacy/manifest.ts';
import { type ErasureRequest, insertErasureRequests } from '../../../src/privacy/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { newErasureRequest } from '../../helpers/privacy-scene.ts';
import { noting } from '../../helpers/statements.ts';
import { freshAddress, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const INSTALLS = 600;
/** `growing-batches.test.ts` has the sizes. */
const BATCHES = 24;

/** Installs at one address, each with one event. */
async function plantCrowd(world: World, app: TestApp, address: string): Promise<void> {
  const { service } = world;
  const { installId } = (await world.install(app, {}, { from: address })).body;
  const install = await service.db
    .selectFrom('installs')
    .selectAll()
    .where('id', '=', installId)
    .executeTakeFirstOrThrow();
  const installs = Array.from({ length: INSTALLS - 1 }, () => ({ ...install, id: service.ids.next() }));
  const at = isoTime(service.clock.nowMs());
  const events = installs.map(({ app_id, id }) => ({
    app_id,
    id: service.ids.next(),
    client_event_id: null,
    install_id: id,
    event_name: 'level',
    properties: '{"level":7}',
    user_id: null,
    sandbox: 0 as const,
    occurred_at: at,
    created_at: at,
  }));
  await insertMany(service.db, 'installs', installs);
  await insertMany(service.db, 'events', events);
}

/** The service's own loop would take it at its next cycle, after 15 minutes. */
async function plantRequest(world: World, app: TestApp): Promise<ErasureRequest> {
  const { service } = world;
  const request = newErasureRequest(service, app, { userId: 'nobody' });
  await insertErasureRequests(service.db, [request]);
  return request;
}

for (const engine of engines)
  describe(`the erasure of a shared address on ${engine}`, () => {
    const world = useWorld(engine);

    it('takes a transaction for each batch of records, not for each install', async () => {
      const app = await world.newApp();
      const address = freshAddress();
      await plantCrowd(world, app, address);
      const { service } = world;
      const subject = { appId: app.id, sandboxOnly: false, userId: null };
      const ipHashes = addressHashes(service, app.id, address);
      const person = await findPerson(service.db, { ...subject, ipHashes });
      const request = await plantRequest(world, app);
      const written: RootOperationNode[] = [];
      const db = noting(service.db, written);
      for (const data of ERASED)
        await eraseRecords(
          { db, store: service.store, clock: world.clock },
          { request, person, data, goOn: async () => undefined },
        );
      const changes = (table: string) =>
        written.filter(
          (node) =>
            node.kind === 'UpdateQueryNode' &&
            new RegExp(`"name":"${table}"`).test(JSON.stringify(node.table)),
        ).length;
      assert.deepEqual([changes('installs'), changes('events')], [BATCHES, BATCHES]);
      const erased = await service.db
        .selectFrom('events')
        .select('id')
        .where('app_id', '=', app.id)
        .where('erased', '=', 1)
        .execute();
      assert.equal(erased.length, INSTALLS - 1);
    });

    it('checks between pages whether to continue, also while it collects identifiers', async () => {
      const app = await world.newApp();
      const address = freshAddress();
      await plantCrowd(world, app, address);
      const { service } = world;
      await service.db.updateTable('events').set({ user_id: 'guest' }).where('app_id', '=', app.id).execute();
      const scope = { appId: app.id, sandboxOnly: false };
      for (const whom of [
        { userId: null, ipHashes: addressHashes(service, app.id, address) },
        { userId: 'guest', ipHashes: [] },
      ]) {
        const read: RootOperationNode[] = [];
        let asked = 0;
        const goOn = async () => {
          asked += 1;
          if (asked === 3) throw new Error('the service stops');
        };
        const db = noting(service.db, read);
        await assert.rejects(findPerson(db, { ...scope, ...whom }, goOn), /the service stops/);
        assert.ok(asked === 3 && read.length <= 12, `asked ${asked} times in ${read.length} statements`);
      }
    });
  });
