/** Erasure of an address that many people share, such as a carrier's, takes batches of records. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RootOperationNode, TableNode, UpdateQueryNode } from 'kysely';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { eraseRecords } from '../../../src/privacy/erase-records.ts';
import { findPerson } from '../../../src/privacy/find-person.ts';
import { ERASED } from '../../../src/privacy/manifest.ts';
import { findErasureRequest, insertErasureRequests } from '../../../src/privacy/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { noting } from '../../helpers/statements.ts';
import { freshAddress, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const INSTALLS = 600;

/** Installs at one address, each with one event. */
async function plantCrowd(world: World, app: TestApp, address: string): Promise<void> {
  const { service } = world;
  const { installId } = (await world.install(app, {}, { from: address })).body;
  const install = await service.db
    .selectFrom('installs')
    .selectAll()
    .where('id', '=', installId)
    .executeTakeFirstOrThrow();
  const installs = Array.from({ length: INSTALLS }, () => ({ ...install, id: service.ids.next() }));
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

for (const engine of engines)
  describe(`the erasure of a shared address on ${engine}`, () => {
    const world = useWorld(engine);

    it('takes a batch of records in each transaction, with one pause after it, not one for each install', async () => {
      const app = await world.newApp();
      const address = freshAddress();
      await plantCrowd(world, app, address);
      const { service } = world;
      const ipHash = service.secrets.hashAddress(app.id, address);
      const request = {
        ...{ app_id: app.id, id: service.ids.next(), sandbox: 0 as const, ip_hash: ipHash, user_id: null },
        ...{ requested_at: isoTime(service.clock.nowMs()), ways_found_at: null, scrubbed_at: null },
        ...{ completed_at: null, counts: '{}' },
      };
      await insertErasureRequests(service.db, [request]);
      const subject = { appId: app.id, sandboxOnly: false, userId: null, ipHash };
      const person = await findPerson(service.db, subject);
      const asked: RootOperationNode[] = [];
      for (const data of ERASED)
        await eraseRecords(noting(service.db, asked), { request, person, data, goOn: async () => undefined });
      // Each transaction notes its count with the request.
      const batches = asked.filter((node) => isUpdateOf(node, 'erasure_requests')).length;
      const { counts = '{}' } = (await findErasureRequest(service.db, app.id, request.id)) ?? {};
      const { installs, events } = JSON.parse(counts) as Record<string, number>;
      assert.deepEqual([installs, events], [INSTALLS + 1, INSTALLS]);
      assert.ok(batches > 2 && batches <= INSTALLS / 10, `${batches} transactions`);
    });

    it('checks between pages whether to continue, also while it collects identifiers', async () => {
      const app = await world.newApp();
      const address = freshAddress();
      await plantCrowd(world, app, address);
      const { service } = world;
      await service.db.updateTable('events').set({ user_id: 'guest' }).where('app_id', '=', app.id).execute();
      const scope = { appId: app.id, sandboxOnly: false };
      for (const whom of [
        { userId: null, ipHash: service.secrets.hashAddress(app.id, address) },
        { userId: 'guest', ipHash: null },
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

function isUpdateOf(node: RootOperationNode, table: string): boolean {
  return (
    UpdateQueryNode.is(node) &&
    node.table !== undefined &&
    TableNode.is(node.table) &&
    node.table.table.identifier.name === table
  );
}
