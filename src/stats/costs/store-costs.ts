import { recordChange } from '../../audit/index.ts';
import { type Actor, authorOf } from '../../auth/index.ts';
import { type Db, lockUntilCommit, type Transaction, toFlag } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import { entryAt } from '../../lib/entry-at.ts';
import { listKnownCampaigns } from '../../links/index.ts';
import { type CostRow, type NewCost, nameOf, readCost } from './cost.ts';
import { listCostsByKey, replaceCosts } from './queries.ts';
import { type CostsStored, type Outcome, presentFields } from './schemas.ts';

const MAX_PREVIEWED = 100;

export interface Upload {
  /** With an `AppError` in place of a row that the parser refused. */
  readonly rows: readonly { readonly row: number; readonly value: unknown }[];
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

/** Stores the costs that are right, in one transaction, and reports the others. */
export async function storeCosts(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, upload }: { actor: Actor; upload: Upload },
): Promise<CostsStored> {
  const { accepted, failures } = readRows(upload, actor, clock.nowMs());
  const planned = upload.isDryRun
    ? await planCosts(db, actor.appId, accepted)
    : await db.transaction().execute(async (tx) => {
        // So that two uploads of one cost are a new one and a replacement.
        await lockUntilCommit(tx, `costs of ${actor.appId}`);
        const plan = await planCosts(tx, actor.appId, accepted);
        await storePlanned(tx, { clock, ids }, { actor, plan, failed: failures.length });
        return plan;
      });
  return {
    ...countOutcomes(planned),
    ...{ failed: failures.length, failures },
    unknownCampaigns: await listUnknownCampaigns(db, actor, accepted),
    ignoredColumns: [...upload.ignoredColumns],
    costs: upload.isDryRun ? planned.slice(0, MAX_PREVIEWED).map(presentPlanned) : undefined,
  };
}

function readRows(
  { rows }: Upload,
  actor: Actor,
  nowMs: number,
): { accepted: Accepted[]; failures: Failure[] } {
  const sandbox = toFlag(actor.mode === 'test');
  const failures: Failure[] = [];
  const byName = new Map<string, Accepted[]>();
  for (const { row, value } of rows) {
    const cost = value instanceof AppError ? value.message : readCost(value, { sandbox, nowMs });
    if (typeof cost === 'string') failures.push({ row, message: cost });
    else entryAt(byName, nameOf(cost), () => []).push({ row, cost });
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

async function storePlanned(
  tx: Transaction,
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  { actor, plan, failed }: { actor: Actor; plan: readonly Planned[]; failed: number },
): Promise<void> {
  const { appId, mode } = actor;
  const changed = plan.filter(({ outcome }) => outcome !== 'unchanged');
  if (changed.length === 0) return;
  const now = isoTime(clock.nowMs());
  const rows = changed.map(({ cost, stored }) => ({
    ...{ app_id: appId, id: stored?.id ?? ids.next(), ...cost },
    ...{ created_at: stored?.created_at ?? now, updated_at: now },
  }));
  await replaceCosts(tx, appId, rows);
  const days = rows.map(({ day }) => day).sort();
  await recordChange(
    tx,
    { clock, ids },
    {
      ...{ appId, action: 'costs.updated', by: authorOf(actor), recordId: appId },
      sandbox: toFlag(mode === 'test'),
      about: { from: days[0] ?? '', to: days.at(-1) ?? '', ...countOutcomes(plan), failed },
    },
  );
}

function countOutcomes(planned: readonly Planned[]): Record<Outcome, number> {
  const counts = { created: 0, replaced: 0, unchanged: 0 };
  for (const { outcome } of planned) counts[outcome] += 1;
  return counts;
}

/** Sorted. */
async function listUnknownCampaigns(db: Db, actor: Actor, accepted: readonly Accepted[]): Promise<string[]> {
  const named = accepted.flatMap(({ cost }) => (cost.network === '' ? cost.campaign_id : []));
  const campaigns = [...new Set(named)];
  const known = await listKnownCampaigns(db, actor, campaigns);
  return campaigns.filter((campaign) => !known.has(campaign)).sort();
}

function presentPlanned({ row, outcome, cost }: Planned) {
  return { row, outcome, ...presentFields(cost) };
}
