import { sql } from 'kysely';
import type { Db } from '../../src/db/index.ts';
import type { Engine } from './engines.ts';

/** The schema as reproducible text: tables, columns, keys and indexes, without the migrator's tables. */
export async function dumpSchema(db: Db, engine: Engine): Promise<string> {
  const statements = engine === 'sqlite' ? await dumpSqlite(db) : await dumpPostgres(db);
  return `${statements.join('\n\n')}\n`;
}

async function dumpSqlite(db: Db): Promise<string[]> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema
    where sql is not null and name not like 'schema_migrations%' order by type desc, name`.execute(db);
  return rows.map((row) => `${row.sql.replaceAll(/\n\s+/g, '\n  ').replace(/\n\s*\)/, '\n)')};`);
}

async function dumpPostgres(db: Db): Promise<string[]> {
  const tables = await sql<{ name: string; kind: string }>`
    select c.relname as name, case c.relpersistence when 'u' then 'unlogged table' else 'table' end as kind
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname not like 'schema_migrations%' order by c.relname`.execute(db);
  const indexes = await sql<{ definition: string }>`
    select pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and not i.indisprimary and not c.relispartition and c.relname not like 'schema_migrations%'
    order by c.relname`.execute(db);
  const created = [];
  for (const { name, kind } of tables.rows) created.push(await dumpTable(db, name, kind));
  return [...created, ...indexes.rows.map(({ definition }) => `${definition};`)];
}

async function dumpTable(db: Db, name: string, kind: string): Promise<string> {
  const columns = await sql<{ text: string }>`
    select format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attcollation <> t.typcollation then ' collate ' || quote_ident(l.collname) else '' end,
      case when a.attnotnull then ' not null' else '' end,
      case when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as text
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_collation l on l.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${name}::regclass and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(
    db,
  );
  const constraints = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint
    where conrelid = ${name}::regclass and contype <> 'n' order by contype desc, conname`.execute(db);
  const lines = [...columns.rows, ...constraints.rows].map(({ text }) => `  ${text}`);
  const partitions = await sql<{ key: string | null }>`
    select pg_get_partkeydef(${name}::regclass) as key`.execute(db);
  const key = partitions.rows[0]?.key;
  const suffix = key == null ? '' : ` partition by ${key}`;
  return `create ${kind} ${name} (\n${lines.join(',\n')}\n)${suffix};`;
}
