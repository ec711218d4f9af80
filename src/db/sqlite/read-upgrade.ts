import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BUSY_TIMEOUT_MS } from './statements.ts';

/** What a file says of the versions that wrote it, read before anything is changed. */
interface StoredSchema {
  readonly migrations: readonly string[];
  /** Null before versions were stored. */
  readonly version: string | null;
}

/** Null for a file without migrations: a new one, or of another program. */
export function readStoredSchema(path: string): StoredSchema | null {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const tables = new Set(
      db
        .prepare('select name from sqlite_schema')
        .all()
        .map(({ name }) => name),
    );
    if (!tables.has('schema_migrations')) return null;
    const migrations = db.prepare('select name from schema_migrations order by name').all();
    const stored = tables.has('schema_migrations_version')
      ? db.prepare('select version from schema_migrations_version').get()
      : undefined;
    return {
      migrations: migrations.map(({ name }) => String(name)),
      version: stored === undefined ? null : String(stored.version),
    };
  } finally {
    db.close();
  }
}
