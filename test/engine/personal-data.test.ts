/** Every column is either named in a module's `personal-data.ts` or holds no personal data. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ERASED, EXPORTED } from '../../src/privacy/manifest.ts';
import { ERASED_OTHERWISE, OF_CONSOLE_USERS, WITHOUT_PERSONAL_DATA } from '../fixtures/other-columns.ts';
import { type Engine, engines } from '../helpers/engines.ts';
import { queryStored } from '../helpers/stored.ts';
import { useWorld } from '../helpers/world.ts';

/** Without the column that records the order of SQLite's rows. */
const COLUMNS: Record<Engine, string> = {
  sqlite: `select m.name as t, c.name as c from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and c.name <> 'arrival'`,
  postgres: `select relname as t, attname as c from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped`,
};
/** The migrator's tables, and request counters by key and hashed address that expire after a minute. */
const UNDECLARED = /^(schema_migrations|schema_migrations_(lock|version)|sqlite_.*|rate_limits)$/;

const PERSONAL = ERASED.flatMap(({ table, erased }) =>
  Object.keys(erased).map((column) => `${table}.${column}`),
);
const OTHERS = [WITHOUT_PERSONAL_DATA, ERASED_OTHERWISE, OF_CONSOLE_USERS].flatMap((tables) =>
  Object.entries(tables).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
);

for (const engine of engines)
  describe(`personal data on ${engine}`, () => {
    const world = useWorld(engine);

    it('every column is declared once: as personal, as erased otherwise, as an account’s, or as without personal data', async () => {
      const stored = (await queryStored(world.place, COLUMNS[engine]))
        .filter(({ t }) => !UNDECLARED.test(String(t)))
        .map(({ t, c }) => `${t}.${c}`);
      assert.deepEqual(stored.sort(), [...PERSONAL, ...OTHERS].sort());
    });
  });

it('an export contains the kinds of records that an erasure erases', () => {
  assert.deepEqual(new Set(EXPORTED), new Set(ERASED));
});
