/** A waiting erasure blocks neither other requests nor the shutdown. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type TestApp, useWorld, type World } from '../../helpers/world.ts';

async function erase(world: World, app: TestApp): Promise<() => Promise<string>> {
  const body = { userId: 'ada' };
  const answer = await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body });
  const path = `/v1/privacy/erase/${answer.body.requestIds[0]}`;
  return async () => (await world.call('GET', path, { key: app.keys.live })).body.status;
}

if (engines.includes('sqlite'))
  describe('an erasure while another program reads the SQLite file', () => {
    const world = useWorld('sqlite');

    it('blocks neither other writers nor the stop, and is completed afterwards', async () => {
      const app = await world.newApp();
      const outside = new DatabaseSync(join(world.place.dataDir, 'throughline.db'), { readOnly: true });
      outside.exec('begin');
      outside.prepare('select count(*) from apps').get();
      const status = await erase(world, app);
      await sleep(300);

      // A statement that waits in the writer's thread would delay all others for five seconds.
      await Promise.race([
        world.newLink(app),
        sleep(4 * SECOND_MS).then(() => assert.fail('a request waited for the erasure')),
      ]);
      assert.equal(await status(), 'pending');
      await world.close();

      outside.close();
      await world.open();
      await waitFor('completed', async () => ((await status()) === 'completed' ? true : undefined));
    });
  });

if (engines.includes('postgres'))
  describe('an erasure during a long transaction in PostgreSQL', () => {
    const world = useWorld('postgres');

    it('keeps its lease, and does not delay the stop', async () => {
      const app = await world.newApp();
      const ended = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const { service } = world;
      const open = service.db.transaction().execute(async (tx) => {
        await tx.selectFrom('apps').select('id').execute();
        begun.resolve();
        await ended.promise;
      });
      await begun.promise;
      const status = await erase(world, app);
      const heldUntil = async () =>
        (await service.db.selectFrom('leases').selectAll().executeTakeFirst())?.held_until;
      const first = await waitFor('the lease to be taken', heldUntil);
      world.clock.advance(30 * SECOND_MS);
      await waitFor(
        'the lease to be extended',
        async () => (((await heldUntil()) ?? '') > first ? true : undefined),
        { withinMs: 5 * SECOND_MS },
      );
      assert.equal(await status(), 'pending');
      const closing = world.close();
      await sleep(SECOND_MS);
      ended.resolve();
      await open;
      await closing;
      await world.open();
      world.clock.advance(30 * SECOND_MS);
      await waitFor('completed', async () => ((await status()) === 'completed' ? true : undefined));
    });
  });
