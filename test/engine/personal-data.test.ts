/** Every column is classified, and every personal column is on the manifest. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLUMN_CLASSES } from '../../src/privacy/columns.ts';
import { ERASED, EXPORTED } from '../../src/privacy/manifest.ts';
import { type Engine, engines } from '../helpers/engines.ts';
import { queryStored } from '../helpers/stored.ts';
import { useWorld } from '../helpers/world.ts';

/** But for the order in which SQLite got its rows. */
const COLUMNS: Record<Engine, string> = {
  sqlite: `select m.name as t, c.name as c from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and c.name <> 'arrival'`,
  postgres: `select relname as t, attname as c from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped`,
};
/** The migrations' own tables, and counters of requests by keys and hashed addresses that live for a minute. */
const NOBODYS = /^(schema_migrations|schema_migrations_lock|sqlite_.*|rate_limits)$/;

for (const engine of engines)
  describe(`personal data on ${engine}`, () => {
    const world = useWorld(engine);

    it('every column of the database has a class, and no class is of a column that is not there', async () => {
      const stored = (await queryStored(world.place, COLUMNS[engine]))
        .filter(({ t }) => !NOBODYS.test(String(t)))
        .map(({ t, c }) => `${t}.${c}`);
      const classified = Object.entries(COLUMN_CLASSES).flatMap(([table, classes]) =>
        Object.values<readonly string[]>(classes).flatMap((columns) =>
          columns.map((column) => `${table}.${column}`),
        ),
      );
      assert.deepEqual(stored.sort(), classified.sort());
    });
  });

describe('the manifest of personal data', () => {
  it('scrubs every column that is classified as personal, and no other', () => {
    const personal = Object.entries(COLUMN_CLASSES).flatMap(([table, { personal = [] }]) =>
      personal.map((column) => `${table}.${column}`),
    );
    const scrubbed = ERASED.flatMap(({ table, erased }) =>
      Object.keys(erased).map((column) => `${table}.${column}`),
    );
    assert.deepEqual(scrubbed.sort(), personal.sort());
  });

  it('hands out what it scrubs', () => {
    assert.deepEqual(new Set(EXPORTED), new Set(ERASED));
  });
});
