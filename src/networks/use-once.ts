/**
 * A block of Meta, a click ID of Google and a token of Apple count for one install: whoever has one could send it with any
 * number of installs. Keyed marks of them are beside those of events, whose IDs and transactions cannot have their texts.
 */
import type { AppRow } from '../apps/index.ts';
import { type Db, insertRows, isAmong, type Write } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { type NetworkEvidence, type NetworksRead, readNetworks } from './read-networks.ts';

export interface NetworksOfInstall extends NetworksRead {
  /** Of evidence that no install has used yet, in order. */
  readonly marks: readonly string[];
}

/** As `readNetworks`; evidence that an install has used names no network again. */
export async function readUnused(
  { db, secrets, clock }: Pick<Foundation, 'db' | 'secrets' | 'clock'>,
  { app, debugBuild }: { readonly app: AppRow; readonly debugBuild: boolean },
  evidence: NetworkEvidence,
): Promise<NetworksOfInstall> {
  // As with transactions, what the sandbox used is left to live installs.
  const kind = debugBuild ? 'sandbox network' : 'network';
  const markOf = (text: string) => secrets.markId(app.id, `${kind} ${text}`);
  const seen = new Set<string>();
  const read = (isUsed: (mark: string) => boolean) =>
    readNetworks(
      {
        ...{ secrets, nowMs: clock.nowMs() },
        isUsed(texts) {
          const marks = texts.map(markOf);
          for (const mark of marks) seen.add(mark);
          return marks.some(isUsed);
        },
      },
      app,
      evidence,
    );
  const networks = read(() => false);
  const used = await listUsed(db, app.id, [...seen]);
  const marks = [...seen].filter((mark) => !used.has(mark)).toSorted();
  return { ...(used.size === 0 ? networks : read((mark) => used.has(mark))), marks };
}

async function listUsed(db: Db, appId: string, marks: readonly string[]): Promise<ReadonlySet<string>> {
  if (marks.length === 0) return new Set();
  const rows = await db
    .selectFrom('event_ids')
    .select('mark')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'mark', marks))
    .execute();
  return new Set(rows.map(({ mark }) => mark));
}

/** For `store.commit`: fails if another install has used some of the evidence since it was read. */
export async function insertUse(
  { db, ids }: Pick<Foundation, 'db' | 'ids'>,
  install: { readonly app_id: string; readonly id: string },
  marks: readonly string[],
): Promise<Write[]> {
  // The ID has the time by which retention drops the mark; no event has it.
  const of = { app_id: install.app_id, install_id: install.id };
  const rows = marks.map((mark) => ({ ...of, mark, event_id: ids.next() }));
  return await insertRows(db, 'event_ids', rows, { unlessStored: true });
}
