/** What stored links mean for those of a file. */
import { isDeepStrictEqual } from 'node:util';
import { type Actor, canSee } from '../../auth/index.ts';
import { type Db, readRow } from '../../db/index.ts';
import type { LinkRow } from '../link.ts';
import { type Outcome, UNSET, VALUE_COLUMNS, type ValueColumn } from './import.ts';
import { listCodes, listLinksById, listLinksByPath } from './queries.ts';

/** A stored link with the address of a new one; null for another app's. */
type InTheWay = LinkRow | null;

export interface Verdict {
  readonly outcome: Extract<Outcome, 'unchanged' | 'conflict'>;
  readonly reason: string;
}

/** @param byPath whether links have their address by path, else by short code. */
export async function findInTheWay(
  db: Db,
  { appId, byPath, keys }: { appId: string; byPath: boolean; keys: readonly string[] },
): Promise<Map<string, InTheWay>> {
  if (keys.length === 0) return new Map();
  if (byPath) {
    const links = await listLinksByPath(db, appId, keys);
    return new Map(links.map((link) => [link.path ?? '', link]));
  }
  const codes = await listCodes(db, keys);
  const own = codes.filter(({ app_id }) => app_id === appId).map(({ link_id }) => link_id);
  const links = own.length === 0 ? [] : await listLinksById(db, appId, own);
  const byId = new Map(links.map((link) => [link.id, link]));
  return new Map(codes.map(({ code, link_id }) => [code, byId.get(link_id) ?? null]));
}

/** Says of links that the caller may not see no more than that they are there. */
export function compare(
  actor: Pick<Actor, 'appId' | 'mode'>,
  { values, byPath }: { values: string; byPath: boolean },
  stored: InTheWay,
): Verdict {
  const address = byPath ? 'path' : 'short code';
  if (stored === null || !canSee(actor as Actor, stored))
    return { outcome: 'conflict', reason: `This ${address} is taken. Choose another one for the link.` };
  if (stored.deleted_at !== null)
    return {
      outcome: 'conflict',
      reason: `This ${address} was a deleted link’s, and is never used again. Choose another one for the link.`,
    };
  const fields = differences(values, stored);
  if (fields.length === 0) return { outcome: 'unchanged', reason: 'The link exists as it is in the file.' };
  return {
    outcome: 'conflict',
    reason: `A link with this ${address} exists, with another ${fields.join(', ')}. Change that link, or remove the row.`,
  };
}

/** Fields that the import sets to another value than the link has. Totals grow at their service, and do not count. */
function differences(values: string, stored: LinkRow): string[] {
  const given = readRow(values);
  return VALUE_COLUMNS.filter((column, index) => {
    const value = given[index] ?? null;
    const isSet = value !== null && (column === 'sandbox' || value !== String(UNSET[column]));
    return isSet && column !== 'imported_clicks' && !isSame(column, value, stored[column]);
  }).map((column) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
}

const OF_JSON: ReadonlySet<ValueColumn> = new Set([
  ...(['deep_link_params', 'metadata', 'tags', 'rules', 'pass_query', 'min_app_version'] as const),
]);

function isSame(column: ValueColumn, value: string, stored: string | number | null): boolean {
  if (stored === null) return false;
  if (value === String(stored)) return true;
  return OF_JSON.has(column) && isDeepStrictEqual(JSON.parse(value), JSON.parse(String(stored)));
}
