/** Reads the records of a batch, and makes the call of as many as fit into one. */
import type { AppDirectory } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { inPieces } from '../../lib/in-pieces.ts';
import { MAX_RECORDS, type RecordRef } from './batch.ts';
import type { Config, Destination } from './destination.ts';
import type { OutgoingCall } from './destination-type.ts';
import { judge, type Kept, type Sendable } from './judge.ts';
import { toAddress } from './own-address.ts';
import { readRecords } from './read-records.ts';

/** An event may have 32 KiB. */
const READ_AT_ONCE = 100;

export interface Collected {
  readonly kept: readonly Kept[];
  /** Null if there is nothing to send. */
  readonly call: OutgoingCall | null;
  /** Of the call. */
  readonly sent: readonly Sendable[];
  /** Did not fit. */
  readonly rest: readonly RecordRef[];
}

type CollectDeps = Pick<Foundation, 'db' | 'clock'> & { readonly appDirectory: AppDirectory };

export async function collect(
  deps: CollectDeps,
  {
    destination,
    config,
    refs,
    isTest,
  }: { destination: Destination; config: Config; refs: readonly RecordRef[]; isTest: boolean },
): Promise<Collected> {
  const { maxItems, maxBytes } = destination.type.limits;
  const kept: Kept[] = [];
  const sendable: Sendable[] = [];
  let bytes = 0;
  let read = 0;
  const isFull = () => sendable.length > Math.min(maxItems, MAX_RECORDS) || bytes > maxBytes;
  for (const some of chunks(refs, READ_AT_ONCE)) {
    if (isFull()) break;
    const records = await readRecords(deps, destination.row.app_id, some);
    read += some.length;
    const nowMs = deps.clock.nowMs();
    await inPieces(some.entries(), ([index, ref]) => {
      const judged = judge(destination, config, { ref, read: records[index] ?? null, nowMs });
      if ('fate' in judged) kept.push(judged);
      else {
        sendable.push(judged);
        bytes += judged.bytes;
      }
    });
  }
  const { call, sent } = toCall(destination, config, { sendable, isTest });
  const later = sendable.slice(sent.length).map(({ ref }) => ref);
  return { kept, call, sent, rest: [...later, ...refs.slice(read)] };
}

/** Of the first records that fit; at least of one. */
function toCall(
  { type }: Destination,
  config: Config,
  { sendable, isTest }: { sendable: readonly Sendable[]; isTest: boolean },
): Pick<Collected, 'call' | 'sent'> {
  const { maxItems, maxBytes } = type.limits;
  let count = 0;
  let bytes = 0;
  for (const each of sendable.slice(0, Math.min(maxItems, MAX_RECORDS))) {
    bytes += each.bytes;
    if (count > 0 && bytes > maxBytes) break;
    count += 1;
  }
  for (; count > 0; count = Math.floor(count / 2)) {
    const sent = sendable.slice(0, count);
    const call = type.toCall(
      sent.map(({ item }) => item),
      config,
      isTest,
    );
    if (count > 1 && Buffer.byteLength(call.body) > maxBytes) continue;
    return { sent, call: { ...call, url: toAddress(type, config, call.url) } };
  }
  return { call: null, sent: [] };
}
