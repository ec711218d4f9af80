import type { Expression, Selectable, SqlBool } from 'kysely';
import type { ClicksTable, Db } from '../../db/index.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import { leastIdAt } from '../../lib/ids.ts';

/** Queries on clicks by address; each engine has its own index for them. */
export interface ClickQueries {
  /** The newest clicks from an address since a time (ISO 8601), newest first. */
  listRecentClicks(
    db: Db,
    address: ClickAddress,
    where: { since: string; limit: number },
  ): Promise<StoredClick[]>;
  /**
   * A page of all clicks from an address, newest first.
   * @param where `after` is the last click of the previous page; null for the first page.
   */
  listClicksPage(
    db: Db,
    address: ClickAddress,
    where: { after: StoredClick | null; limit: number },
  ): Promise<StoredClick[]>;
}

/** A row of `clicks`. */
export interface StoredClick extends Selectable<ClicksTable> {
  /** Row number in order of arrival; SQLite only. */
  readonly arrival?: number;
}

export interface ClickAddress {
  readonly appId: string;
  /** Keyed by the app: the same address has another hash in another app. */
  readonly ipHash: string;
  /** The condition of one of the two partial indexes by address, as the migration has it. */
  readonly visitors: Expression<SqlBool>;
}

/** A click's id is generated at its time, by a clock that may step back a little. */
const ID_SLACK_MS = MINUTE_MS;

/** Lower bound for the ids of clicks since a time. */
export function leastIdSince(since: string): string {
  return leastIdAt(Date.parse(since) - ID_SLACK_MS);
}
