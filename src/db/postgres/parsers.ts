import pg from 'pg';

const { INT8, TIMESTAMPTZ, JSON: JSON_TYPE } = pg.types.builtins;

/** Returns the same values as SQLite: bigint as numbers, times as ISO 8601 in UTC, JSON as text. */
export const parseAsSqlite: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return isoFromPostgres;
    if (oid === JSON_TYPE) return (text: string) => text;
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

/** `2026-11-20 10:08:40.5+00` (the session's zone is UTC) becomes `2026-11-20T10:08:40.500Z`. */
function isoFromPostgres(text: string): string {
  const [date, time = ''] = text.slice(0, -3).split(' ');
  const [seconds, fraction = ''] = time.split('.');
  return `${date}T${seconds}.${fraction.padEnd(3, '0')}Z`;
}
