import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootstrap } from '../../../src/apps/bootstrap.ts';
import { storeApp } from '../../../src/apps/create-app.ts';
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

    it('a later start writes nothing, so that it does not need the node of a new app', async () => {
      const { db } = world.service;
      await refuseInserts(db, 'audit_log');
      assert.equal(await bootstrap(world.service), null);
      await assert.rejects(
        db.transaction().execute((tx) => storeApp(tx, world.service, APP)),
        /refused/,
      );
    });
  });
