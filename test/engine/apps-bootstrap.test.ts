import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pino from 'pino';
import { bootstrap } from '../../src/apps/bootstrap.ts';
import { createApp } from '../../src/apps/create-app.ts';
import { deriveSecrets } from '../../src/lib/secrets.ts';
import { engines } from '../helpers/engines.ts';
import { refuseInserts } from '../helpers/refuse-inserts.ts';
import { useWorld } from '../helpers/world.ts';

const APP = { input: { name: 'Another' }, by: 'admin' } as const;

for (const engine of engines)
  describe(`the first app on ${engine}`, () => {
    const world = useWorld(engine);

    it('is created once; only later starts with another SECRET_KEY log a warning', async () => {
      const warnings: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line).msg) });
      const start = (secret: string) => bootstrap({ ...world.service, log, secrets: deriveSecrets(secret) });
      const [first, ...later] = [
        await start('the first'),
        await start('another'),
        await start('another'),
        await start('the first'),
      ];
      assert.notEqual(first, null);
      assert.deepEqual(later, [null, null, null]);
      assert.equal(warnings.length, 2);
      for (const warning of warnings) assert.match(warning, /^SECRET_KEY is not the one of the first start/);
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
