/** Erasure of an address that many people share, such as a carrier's, completes in time. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import { insertMany } from '../../../src/db/index.ts';
import { isoTime, SECOND_MS } from '../../../src/lib/clock.ts';
import { findPerson } from '../../../src/privacy/find-person.ts';
import { engines } from '../../helpers/engines.ts';
import { noting } from '../../helpers/statements.ts';
import { waitFor } from '../../helpers/wait-for.ts';
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

    it('pauses once for each batch of records, not for each install', async () => {
      const app = await world.newApp();
      const ipAddress = freshAddress();
      await plantCrowd(world, app, ipAddress);
      const call = { key: app.keys.live, body: { ipAddress } };
      const { body } = await world.call('POST', '/v1/privacy/erase', call);
      await waitFor(
        'completed',
        async () => {
          const path = `/v1/privacy/erase/${body.requestIds[0]}`;
          const request = (await world.call('GET', path, { key: app.keys.live })).body;
          return request.status === 'completed' ? true : undefined;
        },
        // One pause for each install and kind of record would take 12 seconds.
        { withinMs: 8 * SECOND_MS },
      );
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
