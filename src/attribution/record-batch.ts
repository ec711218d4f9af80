import { AppError, type ErrorCode } from '../errors.ts';
import { monotonicMs } from '../lib/clock.ts';
import { inLanes } from '../lib/lanes.ts';
import type { Log } from '../lib/log.ts';
import { toAppError } from '../server/error-response.ts';
import { compileCheck } from '../server/validation.ts';
import type { AttributionDeps } from './attribution-deps.ts';
import type { SdkCall } from './attribution-request.ts';
import { recordInstall } from './record-install.ts';
import type { Sender } from './record-once.ts';
import { recordOpen } from './record-open.ts';
import {
  type AttributionAnswer,
  type OpenAnswer,
  RecordInstall,
  type RecordInstallInput,
  RecordOpen,
  type RecordOpenInput,
} from './schemas.ts';

interface BatchSender extends Omit<Sender, 'batchSinceMs'> {
  /** For the log. */
  readonly requestId: string;
}

type ItemResult<Answer> = ({ status: 200 } & Answer) | { status: number; error: string; code: ErrorCode };

interface BatchKind<Call extends SdkCall, Answer> {
  /** @returns the error text of an invalid item, or null. */
  check(item: unknown): string | null;
  /** Items of the same install, or else of the same address, are recorded in their order. */
  installOf(call: Call): string | null;
  record(deps: AttributionDeps, sending: Sender & { call: Call }): Promise<Answer>;
}

/** Of one batch: enough to wait for the disk and the database together, and a share of the connections of PostgreSQL. */
const MAX_LANES = 8;

const INSTALLS: BatchKind<RecordInstallInput, AttributionAnswer> = {
  check: compileCheck(RecordInstall, 'install'),
  installOf: () => null,
  record: recordInstall,
};

/** The last open of an install takes the credit for its events. */
const OPENS: BatchKind<RecordOpenInput, OpenAnswer> = {
  check: compileCheck(RecordOpen, 'open'),
  installOf: ({ installId }) => installId?.toLowerCase() ?? null,
  record: recordOpen,
};

/** As `recordBatch`. */
export async function recordInstalls(
  deps: AttributionDeps,
  { installs, ...sender }: BatchSender & { installs: readonly unknown[] },
): Promise<ItemResult<AttributionAnswer>[]> {
  return await recordBatch(deps, INSTALLS, { items: installs, sender });
}

/** As `recordBatch`. */
export async function recordOpens(
  deps: AttributionDeps,
  { opens, ...sender }: BatchSender & { opens: readonly unknown[] },
): Promise<ItemResult<OpenAnswer>[]> {
  return await recordBatch(deps, OPENS, { items: opens, sender });
}

/**
 * Records each item by itself and returns a result for each, in order.
 * @param items an AppError stands for an item that was refused before.
 * @throws AppError of the first item if the client is to send every item again, for clients that read only the status.
 */
async function recordBatch<Call extends SdkCall, Answer>(
  deps: AttributionDeps,
  { check, installOf, record }: BatchKind<Call, Answer>,
  { items, sender: { requestId, ...sender } }: { items: readonly unknown[]; sender: BatchSender },
): Promise<ItemResult<Answer>[]> {
  const batchSinceMs = monotonicMs();
  await deps.clickLog.applied(sender.actor.appId);
  const checked = items.map((item) => {
    if (item instanceof AppError) return item;
    const message = check(item);
    return message === null ? (item as Call) : new AppError('request.invalid', { message });
  });
  let outage: AppError | null = null;
  const lanes = {
    laneOf: (call: Call | AppError) =>
      call instanceof AppError ? null : (installOf(call) ?? givenOrConnection(sender, call)),
    maxLanes: MAX_LANES,
  };
  const outcomes = await inLanes(checked, lanes, async (call) => {
    if (call instanceof AppError) return call;
    // Each further attempt would wait for the database until its timeout.
    if (outage !== null) return outage;
    try {
      return await record(deps, { ...sender, batchSinceMs, call });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'database.unavailable') outage = error;
      return error;
    }
  });
  const [first] = outcomes;
  if (first instanceof AppError && outcomes.every(isToRepeat)) throw first;
  logFaults(deps, outcomes, requestId);
  return outcomes.map(toResult);
}

/** As `addressOf`, of an address that is not checked yet. */
function givenOrConnection({ actor, connectionAddress }: Sender, { fingerprint }: SdkCall): string | null {
  return actor.publishable ? connectionAddress : (fingerprint.ipAddress ?? null);
}

function isToRepeat(outcome: unknown): boolean {
  return outcome instanceof AppError && (outcome.status === 429 || outcome.status >= 500);
}

/** Once for the batch, since its items mostly have the same fault. */
function logFaults({ log }: { log: Log }, outcomes: readonly unknown[], requestId: string): void {
  const faults = outcomes.filter((outcome) => outcome instanceof AppError && outcome.status >= 500);
  const [err] = faults;
  if (err !== undefined) log.error({ err, requestId, items: faults.length }, 'Items of a batch failed');
}

function toResult<Answer>(outcome: Answer | AppError): ItemResult<Answer> {
  return outcome instanceof AppError
    ? { status: outcome.status, error: outcome.message, code: outcome.code }
    : { status: 200, ...outcome };
}
