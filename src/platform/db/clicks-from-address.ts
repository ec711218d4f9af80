import type { Expression, Selectable, SqlBool } from 'kysely';
import { MINUTE_MS } from '../clock.ts';
import { leastIdAt } from '../ids.ts';
import type { ClicksTable } from './tables.ts';

/** A row of `clicks` as it is read by address. */
export interface StoredClick extends Selectable<ClicksTable> {
  /** Its number in the order of arrival, where the engine counts rows. */
  readonly arrival?: number;
}

/** Of which address clicks are asked for. */
export interface ClickAddress {
  readonly appId: string;
  /** The app's own: another app has another hash of the same address. */
  readonly ipHash: string;
  /** The condition of one of the two indexes by address, as the migration has it. */
  readonly visitors: Expression<SqlBool>;
}

/** A click's ID is made in the instant of its time, by a clock that may step back a little. */
const ID_SLACK_MS = MINUTE_MS;

/** Clicks since a time have no lower ID: it says how far back an engine has to look. */
export function leastIdSince(since: string): string {
  return leastIdAt(Date.parse(since) - ID_SLACK_MS);
}
