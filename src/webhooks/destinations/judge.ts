/** What becomes of the records of a batch: before the call, and after the response. Pure. */
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { RecordRef } from './batch.ts';
import type { Config, Destination } from './destination.ts';
import type { Identifier, ItemResult } from './destination-type.ts';
import { takes } from './feed.ts';
import type { ReadRecord } from './read-records.ts';

/** How long a record waits for an identifier that its type needs, by the service's clock. */
const IDENTIFIER_MS = 10 * MINUTE_MS;
/** Then twice as long each time. */
const FIRST_LOOK_MS = 20 * SECOND_MS;
/** How long an install waits for Apple, which mostly answers within a second. */
const NETWORK_MS = MINUTE_MS;
const FIRST_NETWORK_LOOK_MS = 2 * SECOND_MS;

export interface Sendable {
  readonly ref: RecordRef;
  readonly item: unknown;
  readonly bytes: number;
}

/** Not part of the call. */
export type Kept =
  | { readonly ref: RecordRef; readonly fate: 'left_out'; readonly reason: string }
  | { readonly ref: RecordRef; readonly fate: 'refused'; readonly reason: string }
  | { readonly ref: RecordRef; readonly fate: 'waits'; readonly waitMs: number; readonly reason: string };

type Judged = Sendable | Kept;

const GONE = 'The record was erased or deleted, or is an open without an install.';

/** Why the destination has to do without a record; null if it need not. */
function whyLeftOut(destination: Destination, { record, ref }: ReadRecord): string | null {
  if (!takes(destination, { kind: ref.kind, name: record.name, isSandbox: record.sandbox }))
    return 'The destination does not take this record: see its events and eventNames, and whether the record is of a sandbox.';
  if (record.deterministicOnly && destination.consent !== 'any')
    return 'The person consented to certain matching alone, and the destination’s consent is “granted”.';
  return null;
}

/** @param read null for a record that is erased or deleted. */
export function judge(
  destination: Destination,
  config: Config,
  { ref, read, nowMs }: { ref: RecordRef; read: ReadRecord | null; nowMs: number },
): Judged {
  const leftOut = read === null ? GONE : whyLeftOut(destination, read);
  if (read === null || leftOut !== null) return { ref, fate: 'left_out', reason: leftOut ?? GONE };
  const { type, mapping } = destination;
  const { maxAgeMs, maxItemBytes } = type.limits;
  if (maxAgeMs !== null && nowMs - Date.parse(read.record.occurredAt) > maxAgeMs)
    return refused(
      ref,
      `The record is older than ${describeAge(maxAgeMs)}, which ${type.title} does not take.`,
    );
  const made = type.toItem(toldFirst(destination, read), config, mapping);
  if ('leftOut' in made) return { ref, fate: 'left_out', reason: made.leftOut };
  if ('unsendable' in made) return unsendable(read, made, nowMs);
  const bytes = Buffer.byteLength(JSON.stringify(made.item));
  if (maxItemBytes !== null && bytes > maxItemBytes)
    return refused(
      ref,
      `The record has ${bytes} bytes as ${type.title} takes it, more than ${maxItemBytes}.`,
    );
  return forNetwork(read, nowMs) ?? { ref, item: made.item, bytes };
}

/** The revenue of a transaction counts at a destination with the first event that it takes of it. */
function toldFirst(destination: Destination, { record, toldBefore }: ReadRecord): ReadRecord['record'] {
  const [counted = null] = toldBefore.flatMap(({ revenue }) => revenue ?? []);
  const isTaken = toldBefore.some(({ name }) =>
    takes(destination, { kind: 'event', name, isSandbox: record.sandbox }),
  );
  if (counted === null || isTaken) return record;
  return { ...record, revenue: counted, repeatsTransaction: false };
}

/** Products take an install once: what Apple says later would not reach them. */
function forNetwork({ ref, awaitsNetwork, recordedAtMs }: ReadRecord, nowMs: number): Kept | null {
  const ageMs = Math.max(0, nowMs - recordedAtMs);
  if (!awaitsNetwork || ageMs >= NETWORK_MS) return null;
  const waitMs = Math.min(Math.max(FIRST_NETWORK_LOOK_MS, ageMs), NETWORK_MS - ageMs);
  const reason = 'The record waits up to a minute for what Apple says of its token for Apple Ads.';
  return { ref, fate: 'waits', waitMs, reason };
}

function unsendable(
  { ref, recordedAtMs }: ReadRecord,
  { unsendable: reason, missingIdentifier }: { unsendable: string; missingIdentifier?: Identifier },
  nowMs: number,
): Kept {
  if (missingIdentifier === undefined) return refused(ref, reason);
  const ageMs = Math.max(0, nowMs - recordedAtMs);
  if (ageMs >= IDENTIFIER_MS)
    return refused(
      ref,
      `${reason} ${missingIdentifier} did not come within 10 minutes: tell it by the event set_identifiers at the app’s first start.`,
    );
  const waitMs = Math.min(Math.max(FIRST_LOOK_MS, ageMs), IDENTIFIER_MS - ageMs);
  const wait = `${reason} The record waits up to 10 minutes for it.`;
  return { ref, fate: 'waits', waitMs, reason: wait };
}

function refused(ref: RecordRef, reason: string): Kept {
  return { ref, fate: 'refused', reason };
}

function describeAge(ms: number): string {
  const hours = Math.round(ms / (60 * MINUTE_MS));
  return hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`;
}

/** How a batch ended, for the transaction that records it. */
export interface BatchOutcome {
  readonly accepted: number;
  readonly leftOut: number;
  readonly refused: readonly { readonly ref: RecordRef; readonly reason: string }[];
  readonly retry: readonly { readonly ref: RecordRef; readonly reason: string }[];
  readonly waits: readonly { readonly ref: RecordRef; readonly waitMs: number }[];
  /** Batches that go on at once: what did not fit into the call, or the halves of one refused whole. */
  readonly next: readonly (readonly RecordRef[])[];
}

export function outcomeOf(
  kept: readonly Kept[],
  {
    sent = [],
    results = [],
    next = [],
  }: {
    sent?: readonly Sendable[];
    results?: readonly ItemResult[];
    next?: readonly (readonly RecordRef[])[];
  } = {},
): BatchOutcome {
  const of = <F extends Kept['fate']>(fate: F) =>
    kept.filter((each): each is Extract<Kept, { fate: F }> => each.fate === fate);
  const judged = sent.map(({ ref }, index) => ({
    ref,
    result: results[index] ?? { outcome: 'accepted' as const },
  }));
  const withReason = (outcome: 'refused' | 'retry') =>
    judged.flatMap(({ ref, result }) => (result.outcome === outcome ? [{ ref, reason: result.reason }] : []));
  return {
    accepted: judged.filter(({ result }) => result.outcome === 'accepted').length,
    leftOut: of('left_out').length + judged.filter(({ result }) => result.outcome === 'leftOut').length,
    refused: [...of('refused'), ...withReason('refused')],
    retry: withReason('retry'),
    waits: of('waits'),
    next: next.filter((refs) => refs.length > 0),
  };
}

/** Whether nothing of the batch is left to do but to send all of it again. */
export function isAllRefused({ accepted, refused, retry, waits, next }: BatchOutcome): boolean {
  return refused.length > 0 && accepted + retry.length + waits.length + next.length === 0;
}

const MAX_REASONS = 10;
const MAX_REASON_CHARACTERS = 300;

/** For the log, without what a network said; null if all records were accepted. */
export function describeOutcome(outcome: BatchOutcome): string | null {
  const { accepted, leftOut, refused, retry, waits, next } = outcome;
  const parts = [
    [refused.length, 'refused'],
    [retry.length, 'to be sent again'],
    [waits.length, 'waiting for an identifier or for Apple'],
    [next.reduce((sum, refs) => sum + refs.length, 0), 'sent in another call'],
    [
      leftOut,
      'left out because they were erased, are not chosen, lack consent, are not of this destination’s app or repeat a transaction',
    ],
  ].filter(([count]) => count !== 0);
  if (parts.length === 0) return null;
  return `Records: ${[[accepted, 'accepted'], ...parts].map(([count, fate]) => `${count} ${fate}`).join(', ')}.`;
}

/** JSON of the reasons; erased with the records, since a network may repeat what it was sent. Empty without any. */
export function reasonsOf({ refused, retry }: BatchOutcome): string {
  const groups = Map.groupBy([...refused, ...retry], ({ reason }) => reason.slice(0, MAX_REASON_CHARACTERS));
  if (groups.size === 0) return '';
  const reasons = [...groups].slice(0, MAX_REASONS).map(([reason, of]) => ({
    reason,
    records: of.length,
    example: of[0]?.ref,
  }));
  return JSON.stringify({ reasons, otherReasons: Math.max(0, groups.size - MAX_REASONS) });
}
