import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrations } from '../../migrations/index.ts';
import { INDEXES } from '../../src/schema/indexes.ts';
import { dumpSchema } from '../helpers/dump-schema.ts';
import { engines } from '../helpers/engines.ts';
import { matchSnapshot } from '../helpers/snapshot.ts';
import { tableTypes } from '../helpers/table-types.ts';
import { useWorld } from '../helpers/world.ts';

const OF_KEYS_AND_PARTITIONS = /^sqlite_autoindex_|_pkey$|_key$|_idx\d*$/;

for (const engine of engines)
  describe(`schema on ${engine}`, () => {
    const world = useWorld(engine);

    it('the migrated schema equals the committed one', async () => {
      matchSnapshot(`migrations/schema.${engine}.sql`, await dumpSchema(world.service.db, engine));
    });

    if (engine === 'postgres')
      it('the committed table types match the migrated schema', async () => {
        matchSnapshot('src/schema/tables.ts', await tableTypes(world.service.db));
      });

    it('each start checks every index that the migrations create', async () => {
      const made = [...(await world.service.store.listIndexNames())];
      assert.deepEqual(made.filter((name) => !OF_KEYS_AND_PARTITIONS.test(name)).sort(), INDEXES);
    });

    it('migrating again changes nothing', async () => {
      assert.deepEqual(await world.service.store.migrate(), []);
      assert.deepEqual(await world.service.store.pendingMigrations(), []);
    });

    it('migrations are numbered without a gap', () => {
      const names = Object.keys(
        migrations({
          engine,
          uuid: '',
          timestamp: '',
          json: '',
          integer: '',
          flag: '',
          text: '',
          tableSuffix: '',
          keyedTableSuffix: '',
          arrival: '',
          partitionedByTime: '',
        }),
      );
      assert.deepEqual(
        names.map((name) => Number(name.slice(0, 4))),
        names.map((_, index) => index + 1),
      );
    });
  });
