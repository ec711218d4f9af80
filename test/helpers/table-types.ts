/** Table types of the migrated schema, as both engines return rows to JavaScript. */
import { sql } from 'kysely';
import type { Db } from '../../src/db/index.ts';

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: boolean;
  readonly has_default: boolean;
}

const HEADER = `/**
 * Generated from the migrated schema by \`npm run snapshots\`. Identifiers and times are text (UUID; ISO 8601 in UTC with
 * milliseconds), JSON is text that is parsed where it is presented, flags are 0 or 1.
 */
`;

const NUMBERS: readonly string[] = ['bigint', 'integer'];

/** The source of the module that declares the types, from a PostgreSQL database. */
export async function tableTypes(db: Db): Promise<string> {
  const { rows } = await sql<Column>`
    select c.table_name, c.column_name, c.data_type, c.is_nullable = 'YES' as is_nullable,
      c.column_default is not null as has_default
    from information_schema.columns c join pg_class t on t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
    where c.table_schema = 'public' and not t.relispartition
      and c.table_name not like 'schema_migrations%' and c.table_name not in ('rate_limits')
      and t.relkind in ('r', 'p')
    order by c.table_name, c.ordinal_position`.execute(db);
  const tables = Map.groupBy(rows, ({ table_name }) => table_name);
  const interfaces = [...tables].map(
    ([table, columns]) =>
      `export interface ${interfaceName(table)} {\n${columns.map(toProperty).join('')}}\n`,
  );
  const listed = [...tables.keys()].map((table) => `  ${table}: ${interfaceName(table)};\n`);
  const imports = "import type { Generated } from 'kysely';\nimport type { Flag } from './flag.ts';\n";
  return [`${HEADER}${imports}`, `export interface Database {\n${listed.join('')}}\n`, ...interfaces].join(
    '\n',
  );
}

function interfaceName(table: string): string {
  const words = table.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Table`;
}

function toProperty({ column_name, data_type, is_nullable, has_default }: Column): string {
  const value = data_type === 'smallint' ? 'Flag' : NUMBERS.includes(data_type) ? 'number' : 'string';
  const read = is_nullable ? `${value} | null` : value;
  return `  ${column_name}: ${has_default ? `Generated<${read}>` : read};\n`;
}
