import type { Expression, Selectable, SqlBool } from 'kysely';
import { MINUTE_MS } from '../clock.ts';
import { leastIdAt } from '../ids.ts';
import type { ClicksTable } from './tables.ts';

export type StoredClick = Selectable<ClicksTable>;

/** Which of the clicks that came from an address are asked for, the newest first. */
export interface ClicksFromAddress {
  readonly appId: string;
  readonly ipHash: string;
  /** The condition of one of the two indexes by address, as the migration has it. */
  readonly visitors: Expression<SqlBool>;
  /** ISO 8601; null for all that are kept. */
  readonly since: string | null;
  /** The last one of the page before; null for the first page. */
  readonly after: StoredClick | null;
  readonly limit: number;
}

/** A click's ID is made in the instant of its time, by a clock that may step back a little. */
const ID_SLACK_MS = MINUTE_MS;

/** What was made since has no lower ID: says nothing new, but how far back an engine has to look. */
export function leastIdSince(since: string | null): string {
  return leastIdAt(since === null ? 0 : Date.parse(since) - ID_SLACK_MS);
}
