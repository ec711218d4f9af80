import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { assertSameSecret, bootstrap } from '../../../src/apps/bootstrap.ts';
import { createApp } from '../../../src/apps/create-app.ts';
import { deriveSecrets } from '../../../src/lib/secrets.ts';
import { engines } from '../../helpers/engines.ts';
import { refuseInserts } from '../../helpers/refuse-inserts.ts';
import { useWorld } from '../../helpers/world.ts';

const APP = { input: { name: 'Another' }, by: 'admin' } as const;

for (const engine of engines)
  describe(`the first app on ${engine}`, () => {
    const world = useWorld(engine);

    it('is created once', async () => {
      assert.notEqual(await bootstrap(world.service), null);
      assert.equal(await bootstrap(world.service), null);
    });

    it('a start with another SECRET_KEY is refused in one line, unless it is accepted once', async () => {
      const warnings: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line).msg) });
      const { db, config, secrets } = world.service;
      const start = (of: typeof secrets, settings: object = {}) =>
        assertSameSecret({ db, log, secrets: of, config: { ...config, ...settings } });
      const other = deriveSecrets('another');
      await start(secrets);
      for (const [secretKey, named] of [
        ['another', 'SECRET_KEY'],
        [null, `${world.place.dataDir}/secret-key`],
      ] as const)
        await assert.rejects(start(other, { secretKey }), ({ name, message }: Error) => {
          assert.equal(name, 'StartError');
          assert.ok(message.startsWith(`${named} is not the secret`), message);
          assert.match(message, /^[^\n]*former SECRET_KEY[^\n]*backup[^\n]*ACCEPT_NEW_SECRET_KEY=1[^\n]*$/);
          return true;
        });
      assert.deepEqual(warnings, []);

      await start(other, { secretKey: 'another', acceptNewSecretKey: true });
      assert.match(warnings[0] ?? '', /^SECRET_KEY is from now on .*webhooks wait until/);
      assert.match(warnings[1] ?? '', /^Remove ACCEPT_NEW_SECRET_KEY/);
      await start(other);
      await assert.rejects(start(secrets), { name: 'StartError' });
      assert.equal(warnings.length, 2);
      await start(secrets, { acceptNewSecretKey: true });
    });

    it('a later start writes nothing, so that it does not need the node of a new app', async () => {
      const { db } = world.service;
      await refuseInserts(db, 'audit_log');
      assert.equal(await bootstrap(world.service), null);
      await assert.rejects(
        db.transaction().execute((tx) => createApp(tx, world.service, APP)),
        /refused/,
      );
    });
  });
