/** Destinations as a kind of receiver: a message names records, which are read and made into a call at each attempt. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AppDirectory } from '../../apps/index.ts';
import type { Foundation } from '../../foundation.ts';
import {
  delayOf,
  type PreparedCall,
  type Reading,
  type ReceiverKind,
  type Target,
} from '../attempts/index.ts';
import { isTest } from '../webhook.ts';
import { readBatch } from './batch.ts';
import { collect } from './collect.ts';
import { type Config, type Destination, readConfig, toDestination, typeOf } from './destination.ts';
import { type BatchOutcome, outcomeOf } from './judge.ts';
import { maskerOf } from './mask-secrets.ts';
import { type Refusals, readCall, toReading } from './read-call.ts';
import { recordOutcome } from './record-outcome.ts';
import { Rests } from './rests.ts';

/** So many batches are read and held at a time. */
const MAX_BATCHES_IN_FLIGHT = 4;
/** Of types that take one record in a call. */
const MAX_SINGLES_IN_FLIGHT = 50;
/** A response may have a reason for each record. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_SINGLE_RESPONSE_BYTES = 16 * 1024;
const MAX_DESTINATIONS = 10_000;

type KindDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
};

export function createDestinationKind(deps: KindDeps): ReceiverKind {
  const refusals: Refusals = new LRUCache({ max: MAX_DESTINATIONS });
  const rests = new Rests();
  return {
    receiverOf(row) {
      const { intervalMs = null } = typeOf(row.type)?.limits ?? {};
      const id = createHash('sha256').update(`destination ${row.app_id} ${row.id}`).digest('base64url');
      return { id, intervalMs };
    },
    open(row) {
      const destination = toDestination(row);
      const config = readConfig(deps, row);
      if (destination === null || config === null) return null;
      return openDestination({ ...deps, refusals, rests }, destination, config);
    },
  };
}

function openDestination(
  deps: KindDeps & { readonly refusals: Refusals; readonly rests: Rests },
  destination: Destination,
  config: Config,
): Target<BatchOutcome> {
  const { maxItems } = destination.type.limits;
  return {
    maxInFlight: maxItems === 1 ? MAX_SINGLES_IN_FLIGHT : MAX_BATCHES_IN_FLIGHT,
    failedAction: 'destination.delivery_failed',
    async toCall(message): Promise<PreparedCall<BatchOutcome> | Reading<BatchOutcome>> {
      const of = { destination, config, refs: readBatch(message), isTest: isTest(message) };
      const collected = await collect(deps, of);
      const { call, kept, rest } = collected;
      if (call === null) return toReading(outcomeOf(kept, { next: [rest] }));
      return {
        ...call,
        body: Buffer.from(call.body),
        maxResponseBytes: maxItems === 1 ? MAX_SINGLE_RESPONSE_BYTES : MAX_RESPONSE_BYTES,
        mask: maskerOf(call, config, destination.type.secrets),
        read: (response) => readCall(deps, destination, { collected, message, response }),
      };
    },
    retryDelayMs: ({ outcome }, failedAttempts) =>
      outcome === undefined ? delayOf('extended', failedAttempts) : null,
    restMs: (result) => deps.rests.after(destination.row.id, result, deps.clock.nowMs()),
    recordEnd: async (tx, { row, result: { outcome } }) =>
      outcome === undefined
        ? []
        : await recordOutcome(tx, deps, { destination: destination.row, row, outcome }),
  };
}
