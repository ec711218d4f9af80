/** A rotation of SECRET_KEY that is killed again and again, by real processes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bootstrap } from '../../src/apps/index.ts';
import { engines } from '../helpers/engines.ts';
import { runCommand, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { World } from '../helpers/world.ts';

const WEBHOOKS = 20_000;
const PER_STATEMENT = 500;
const SECRETS = { former: 'the former secret key of a test', present: 'the present secret key of a test' };
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHdlYmhvb2sgaW4gYSB0ZXN0';

for (const engine of engines)
  describe(`a rotation of SECRET_KEY that is killed on ${engine}`, () => {
    it('is completed by a later start with the new secret alone, and no value is lost', async () => {
      const world = new World(engine, { SECRET_KEY: SECRETS.former });
      await world.open();
      try {
        await plant(world);
        const { place } = world;
        await world.close();
        const env = { SECRET_KEY: SECRETS.present, PREVIOUS_SECRET_KEY: SECRETS.former, LOG_LEVEL: 'info' };
        const begun = await startServer(place, env);
        await waitFor('the rotation', () => /SECRET_KEY was replaced/.test(begun.output()) || undefined);
        // The first look is a second after the start.
        await new Promise((resolve) => setTimeout(resolve, 1_300));
        await begun.end('SIGKILL');

        await world.restart({ SECRET_KEY: SECRETS.present });
        const after = await countOld(world);
        await world.close();
        const again = await startServer(place, { SECRET_KEY: SECRETS.present, LOG_LEVEL: 'info' });
        await waitFor('the end', () => /it may be removed/.test(again.output()) || undefined);
        await again.end('SIGTERM');
        await world.restart();
        assert.ok(after.old > 0, 'it was killed after its end');
        assert.deepEqual([after.unreadable, await countOld(world)], [0, { old: 0, unreadable: 0 }]);
      } finally {
        await world.remove();
      }
    });

    if (engine === 'sqlite')
      it('by the file: rotate, restart, forget; and before a restart nothing is forgotten', async () => {
        const world = new World(engine, {});
        await world.open();
        try {
          await bootstrap(world.service);
          const { place } = world;
          await world.close();
          const file = (name: string) => join(place.dataDir, name);
          const former = readFileSync(file('secret-key'), 'utf8');
          const server = await startServer(place);
          assert.match((await runCommand(['secret', 'rotate'], place.env)).stdout, /Restart the service now/);
          assert.equal(readFileSync(file('secret-key.previous'), 'utf8'), former);
          assert.notEqual(readFileSync(file('secret-key'), 'utf8'), former);
          assert.equal((await runCommand(['secret', 'rotate'], place.env)).code, 1);
          await server.end('SIGKILL');
          const next = await startServer(place);
          assert.match((await runCommand(['secret', 'forget'], place.env)).stderr, /is still needed/);
          await waitFor(
            'the end',
            async () =>
              /not needed/.test((await runCommand(['secret', 'status'], place.env)).stdout) || undefined,
            { everyMs: 3_000 },
          );
          assert.equal((await runCommand(['secret', 'forget'], place.env)).code, 0);
          assert.ok(!existsSync(file('secret-key.previous')));

          // Until a restart, the file to forget is the only one with the secret of the data.
          const run = (...args: string[]) => runCommand(args, place.env);
          assert.equal((await run('secret', 'rotate')).code, 0);
          assert.match((await run('secret', 'status')).stdout, /restart it, and keep secret-key\.previous/);
          assert.match((await run('secret', 'forget')).stderr, /Restart the service first/);
          assert.match(
            (await run('doctor')).stdout,
            /WARNING The secret key is new.*\n.*Restart the service/,
          );
          assert.ok(existsSync(file('secret-key.previous')));
          await next.end('SIGTERM');
          await (await startServer(place)).end('SIGTERM');
        } finally {
          await world.remove();
        }
      });
  });

async function plant(world: World): Promise<void> {
  await bootstrap(world.service);
  const app = await world.newApp();
  const body = { url: 'https://receiver.example/hook', events: ['install.attributed'], secret: SECRET };
  const { id } = (await world.call('POST', '/v1/webhooks', { key: app.keys.live, body })).body;
  const { db, ids, secrets } = world.service;
  const template = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  for (let made = 0; made < WEBHOOKS; made += PER_STATEMENT)
    await db
      .insertInto('webhooks')
      .values(
        Array.from({ length: PER_STATEMENT }, () => {
          const copy = { ...template, id: ids.next(), enabled: 0 as const };
          return { ...copy, secret: secrets.encrypt(SECRET, `webhook ${copy.app_id} ${copy.id}`) };
        }),
      )
      .execute();
}

async function countOld({ service: { db, secrets } }: World): Promise<{ old: number; unreadable: number }> {
  const rows = await db.selectFrom('webhooks').select(['app_id', 'id', 'secret']).execute();
  assert.ok(rows.length > WEBHOOKS);
  const ownerOf = ({ app_id, id }: { app_id: string; id: string }) => `webhook ${app_id} ${id}`;
  return {
    old: rows.filter((row) => !secrets.isOfPresent(row.secret ?? '', ownerOf(row))).length,
    unreadable: rows.filter((row) => secrets.decrypt(row.secret ?? '', ownerOf(row)) !== SECRET).length,
  };
}
