import { recordChange } from '../../audit/index.ts';
import { type Actor, authorOf } from '../../auth/index.ts';
import { type Db, lockUntilCommit, type Transaction, toFlag } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { isoTime } from '../../lib/clock.ts';
import { entryAt } from '../../lib/entry-at.ts';
import { listKnownCampaigns } from '../../links/index.ts';
import { NETWORKS, toNetworkCampaign } from '../dimensions.ts';
import { findNamesOfCosts } from '../network-campaigns.ts';
import { type CostRow, type NewCost, nameOf, readCost } from './cost.ts';
import { countCosts, listCostsByKey, replaceCosts } from './queries.ts';
import { type ColumnNames, inColumns } from './read-csv.ts';
import { type CostsStored, MAX_STORED_COSTS, type Outcome, presentNamed } from './schemas.ts';

const MAX_PREVIEWED = 100;
/** Other writers wait for a transaction of as many rows some 10 ms. */
const ROWS_OF_TRANSACTION = 250;

export interface Upload {
  readonly rows: readonly ({ readonly row: number } & (
    | { readonly value: unknown }
    /** What is wrong with a row that the parser refused. */
    | { readonly refusal: string }
  ))[];
  /** Null of a JSON body. */
  readonly columns: ColumnNames | null;
  readonly ignoredColumns: readonly string[];
  readonly isDryRun: boolean;
}

type Failure = CostsStored['failures'][number];
interface Accepted {
  readonly row: number;
  readonly cost: NewCost;
}
interface Planned extends Accepted {
  readonly outcome: Outcome;
  readonly stored: CostRow | undefined;
}

/**
 * Stores the costs that are right, and reports the others. The caller lets one upload of an app run at a time.
 * @throws AppError `cost.too_many`.
 */
export async function storeCosts(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, upload }: { actor: Actor; upload: Upload },
  maxStored = MAX_STORED_COSTS,
): Promise<CostsStored> {
  const { accepted, failures } = readRows(upload, actor, clock.nowMs());
  const planned: Planned[] = [];
  for (const some of chunks(accepted, ROWS_OF_TRANSACTION))
    planned.push(...(await planCosts(db, actor.appId, some)));
  await assertRoom(db, { appId: actor.appId, plan: planned, maxStored });
  if (!upload.isDryRun)
    await storePlanned({ db, clock, ids }, { actor, plan: planned, failed: failures.length });
  return {
    ...countOutcomes(planned),
    ...{ failed: failures.length, failures },
    unknownCampaigns: await listUnknownCampaigns(db, actor, accepted),
    ignoredColumns: [...upload.ignoredColumns],
    costs: upload.isDryRun ? await preview(db, actor.appId, planned.slice(0, MAX_PREVIEWED)) : undefined,
  };
}

function readRows(
  { rows, columns }: Upload,
  actor: Actor,
  nowMs: number,
): { accepted: Accepted[]; failures: Failure[] } {
  const sandbox = toFlag(actor.mode === 'test');
  const failures: Failure[] = [];
  const byName = new Map<string, Accepted[]>();
  for (const { row, ...read } of rows) {
    const cost = 'refusal' in read ? read.refusal : readCost(read.value, { sandbox, nowMs });
    if (typeof cost === 'string') {
      const isOfFile = columns !== null && 'value' in read;
      failures.push({ row, message: isOfFile ? inColumns(columns, read.value, cost) : cost });
    } else entryAt(byName, nameOf(cost), () => []).push({ row, cost });
  }
  const accepted = [...byName.values()].flatMap((same) => {
    if (same.length === 1) return same;
    // Neither is known to be the day's cost: two ad groups of a campaign add up, a correction does not.
    const [first, second] = same;
    for (const { row } of same) {
      const other = row === first?.row ? second?.row : first?.row;
      const message = `Row ${other} has the same date, campaign and currency. Send their sum as one row.`;
      failures.push({ row, message });
    }
    return [];
  });
  return { accepted, failures: failures.sort((a, b) => a.row - b.row) };
}

async function planCosts(db: Db, appId: string, accepted: readonly Accepted[]): Promise<Planned[]> {
  const keys = accepted.map(({ cost: { amount, ...key } }) => key);
  const stored = await listCostsByKey(db, appId, keys);
  const byName = new Map(stored.map((row) => [nameOf(row), row]));
  return accepted.map(({ row, cost }) => {
    const former = byName.get(nameOf(cost));
    const isSame = former?.amount === cost.amount;
    return {
      row,
      cost,
      stored: former,
      outcome: former === undefined ? 'created' : isSame ? 'unchanged' : 'replaced',
    };
  });
}

/** Before anything is stored: the processes of a service may exceed the bound by an upload each. */
async function assertRoom(
  db: Db,
  { appId, plan, maxStored }: { appId: string; plan: readonly Planned[]; maxStored: number },
): Promise<void> {
  const { created } = countOutcomes(plan);
  if (created > 0 && (await countCosts(db, appId)) + created > maxStored) throw new AppError('cost.too_many');
}

/** By several transactions, so that other writers wait for none of them long. The first has the audit log's entry. */
async function storePlanned(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, plan, failed }: { actor: Actor; plan: readonly Planned[]; failed: number },
): Promise<void> {
  const { appId, mode } = actor;
  const changed = plan.filter(({ outcome }) => outcome !== 'unchanged');
  const days = changed.map(({ cost: { day } }) => day).sort();
  for (const [index, some] of [...chunks(changed, ROWS_OF_TRANSACTION)].entries())
    await db.transaction().execute(async (tx) => {
      await storeSome(tx, { clock, ids }, { appId, some });
      if (index > 0) return;
      const change = { appId, by: authorOf(actor), recordId: appId, sandbox: toFlag(mode === 'test') };
      const about = { from: days[0] ?? '', to: days.at(-1) ?? '', ...countOutcomes(plan), failed };
      await recordChange(tx, { clock, ids }, { ...change, action: 'costs.updated', about });
    });
}

async function storeSome(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { appId, some }: { appId: string; some: readonly Accepted[] },
): Promise<void> {
  // Planned again, as another process may have stored one of them since.
  await lockUntilCommit(tx, `costs of ${appId}`);
  const now = isoTime(clock.nowMs());
  const rows = (await planCosts(tx, appId, some)).map(({ cost, stored }) => ({
    ...{ app_id: appId, id: stored?.id ?? ids.next(), ...cost },
    ...{ created_at: stored?.created_at ?? now, updated_at: now },
  }));
  await replaceCosts(tx, appId, rows);
}

function countOutcomes(planned: readonly Planned[]): Record<Outcome, number> {
  const counts = { created: 0, replaced: 0, unchanged: 0 };
  for (const { outcome } of planned) counts[outcome] += 1;
  return counts;
}

/** Sorted: those of links by their name, those of networks as `toNetworkCampaign`. */
async function listUnknownCampaigns(db: Db, actor: Actor, accepted: readonly Accepted[]): Promise<string[]> {
  const named = accepted.flatMap(({ cost }) => (cost.network === '' ? cost.campaign_id : []));
  const campaigns = [...new Set(named)];
  const known = await listKnownCampaigns(db, actor, campaigns);
  const ofNetworks = accepted.flatMap(({ cost: { network, campaign_id: id } }) =>
    network === '' || isOfNetwork(network, id) ? [] : toNetworkCampaign(network, id),
  );
  return [...campaigns.filter((campaign) => !known.has(campaign)), ...new Set(ofNetworks)].sort();
}

/** Whether a network that claims installs could name this campaign: their IDs are digits alone. */
function isOfNetwork(network: string, campaignId: string): boolean {
  return (NETWORKS as readonly string[]).includes(network) && /^\d+$/.test(campaignId);
}

async function preview(db: Db, appId: string, planned: readonly Planned[]) {
  const costs = planned.map(({ cost }) => cost);
  const names = await findNamesOfCosts(db, appId, costs);
  return planned.map(({ row, outcome, cost }) => ({ row, outcome, ...presentNamed(cost, names) }));
}
