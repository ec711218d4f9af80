/** Inserts clicks into the database. Clicks that exist are skipped and not counted again. */

import { isDataFault, parseRows, type Store, type TextRow } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { clickFacts } from '../stats/index.ts';
import { NEW_CLICK_COLUMNS, toBatch } from './click.ts';
import { withoutErased } from './erased-addresses.ts';
import type { RefusedClicks } from './refused-clicks.ts';

interface StoreClicksDeps extends Pick<Foundation, 'db' | 'clock' | 'config' | 'secrets' | 'log'> {
  readonly store: Pick<Store, 'insertRowTexts'>;
}

/** @param limit `timeoutMs`: for the transaction, on PostgreSQL; by default that of a statement. */
export type StoreClicks = (batches: readonly Buffer[], limit?: { timeoutMs: number }) => Promise<void>;

const CLICK_FACTS = clickFacts();

export function createStoreClicks(deps: StoreClicksDeps, refused: RefusedClicks): StoreClicks {
  const insert = async (batches: readonly Buffer[], limit: { timeoutMs?: number }) =>
    await deps.store.insertRowTexts(
      { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: CLICK_FACTS, ...limit },
      batches,
    );

  /** A click that the database rejects for its data must not block those after it. */
  async function insertOne(row: TextRow): Promise<void> {
    const batch = await withoutErased(deps, [toBatch([row])]);
    try {
      await insert(batch, {});
    } catch (error) {
      if (!isDataFault(error)) throw error;
      await refused.add(batch);
      const { path } = refused;
      deps.log.error({ err: error, path }, 'The database rejected a click; it was moved to a file');
    }
  }

  return async (batches, limit = undefined) => {
    try {
      await insert(await withoutErased(deps, batches), limit ?? {});
    } catch (error) {
      if (!isDataFault(error)) throw error;
      deps.log.error({ err: error }, 'The database rejected a batch of clicks; inserting them one by one');
      for (const row of batches.flatMap((batch) => parseRows(batch.toString()))) await insertOne(row);
    }
  };
}
