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
import type { MessageRow } from '../attempts/queue.ts';
import { isTest } from '../webhook.ts';
import { type RecordRef, readBatch } from './batch.ts';
import { type Collected, collect } from './collect.ts';
import { type Config, type Destination, readConfig, toDestination } from './destination.ts';
import { type BatchOutcome, describeOutcome, isAllRefused, outcomeOf, reasonsOf } from './judge.ts';
import { maskerOf } from './mask-secrets.ts';
import { blamesRecords, readResponse } from './read-response.ts';
import { recordOutcome } from './record-outcome.ts';
import { Rests } from './rests.ts';

/** So many batches are read and held at a time. */
const MAX_BATCHES_IN_FLIGHT = 4;
/** Of types that take one record in a call. */
const MAX_SINGLES_IN_FLIGHT = 50;
/** A response may have a reason for each record. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Calls refused whole in a row: then the destination may be wrong rather than its records, which wait for the most part. */
const MAX_REFUSALS = 50;
const MAX_DESTINATIONS = 10_000;
const MAX_EXCERPT_CHARACTERS = 1_000;

type KindDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
};

/** By destination: calls refused whole since the last one that was not. */
type Refusals = LRUCache<string, number>;

export function createDestinationKind(deps: KindDeps): ReceiverKind {
  const refusals: Refusals = new LRUCache({ max: MAX_DESTINATIONS });
  const rests = new Rests();
  return {
    receiverOf(row) {
      const { intervalMs = null } = toDestination(row)?.type.limits ?? {};
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
        maxResponseBytes: MAX_RESPONSE_BYTES,
        mask: maskerOf(call, config, destination.type.secrets),
        read: (response) => readCall(deps, destination, { collected, message, response }),
      };
    },
    retryDelayMs: ({ outcome }, failedAttempts) =>
      outcome === undefined ? delayOf('extended', failedAttempts) : null,
    // One that refuses records is well; other records must not wait.
    restMs: (result) =>
      blamesRecords(result.httpStatus)
        ? null
        : deps.rests.after(destination.row.id, result, deps.clock.nowMs()),
    recordEnd: async (tx, { row, result: { outcome } }) =>
      outcome === undefined
        ? []
        : await recordOutcome(tx, deps, { destination: destination.row, row, outcome }),
  };
}

function readCall(
  { refusals }: { readonly refusals: Refusals },
  { row, type }: Destination,
  {
    collected: { kept, sent, rest },
    message,
    response,
  }: {
    collected: Collected;
    message: MessageRow;
    response: { readonly status: number; readonly body: string };
  },
): Reading<BatchOutcome> {
  const read = readResponse(type, sent, response);
  const excerpt = response.body.slice(0, MAX_EXCERPT_CHARACTERS);
  if ('isHeld' in read)
    return {
      success: false,
      responseBody: read.reason ?? excerpt,
      ...describeHold(type.title, response.status),
    };
  if ('results' in read) {
    refusals.delete(row.id);
    return toReading(outcomeOf(kept, { sent, results: read.results, next: [rest] }));
  }
  const refusedInARow = (refusals.get(row.id) ?? 0) + 1;
  refusals.set(row.id, refusedInARow);
  const isHeld = refusedInARow > MAX_REFUSALS && !isTest(message);
  if (sent.length > 1 && !isTest(message)) {
    const refused = `${type.title} refused all ${sent.length} records of the call (${response.status}).`;
    const errorMessage = `${refused} They are sent again in two halves, to find the wrong one${isHeld ? '; one half waits' : ''}.`;
    const outcome = isHeld ? oneHalfOf(kept, { sent, rest, refused }) : bothHalvesOf(kept, { sent, rest });
    return { success: false, isReplaced: true, outcome, responseBody: excerpt, errorMessage };
  }
  if (isHeld)
    return {
      success: false,
      responseBody: excerpt,
      errorMessage: `${type.title} refused ${refusedInARow} calls in a row. Check the config and the mapping of the destination; its records wait.`,
    };
  const results = sent.map(() => ({ outcome: 'refused' as const, reason: read.refusedWhole }));
  return toReading(outcomeOf(kept, { sent, results, next: [rest] }));
}

type Refused = Pick<Collected, 'sent' | 'rest'>;

function halvesOf(sent: Collected['sent']): [Collected['sent'], Collected['sent']] {
  const middle = Math.ceil(sent.length / 2);
  return [sent.slice(0, middle), sent.slice(middle)];
}

function refsOf(sent: Collected['sent']): RecordRef[] {
  return sent.map(({ ref }) => ref);
}

function bothHalvesOf(kept: Collected['kept'], { sent, rest }: Refused): BatchOutcome {
  return outcomeOf(kept, { next: [...halvesOf(sent).map(refsOf), rest] });
}

/**
 * So that a batch costs a call for each halving at most, until a call succeeds. By chance, or whoever sends wrong records
 * could see to it that they are always those that are tried. The other half waits as after a failed attempt, of which there
 * are more than halvings: each record is sent alone in the end.
 */
function oneHalfOf(
  kept: Collected['kept'],
  { sent, rest, refused }: Refused & { refused: string },
): BatchOutcome {
  const [one, other] = halvesOf(sent);
  const [now, later] = Math.random() < 0.5 ? [one, other] : [other, one];
  const results = later.map(() => ({ outcome: 'retry' as const, reason: refused }));
  return outcomeOf(kept, { sent: later, results, next: [refsOf(now), rest] });
}

/** Nothing, if the engine says all that there is to say of the status. */
function describeHold(title: string, status: number): { errorMessage?: string } {
  if (status === 401 || status === 403)
    return {
      errorMessage: `${title} answered ${status}. Check the credentials in the destination’s config; its records wait and are sent once they are right.`,
    };
  const isSuccess = status >= 200 && status < 300;
  return isSuccess
    ? { errorMessage: `${title} answered ${status}, but did not take the records. They are sent again.` }
    : {};
}

function toReading(outcome: BatchOutcome): Reading<BatchOutcome> {
  return {
    success: !isAllRefused(outcome),
    errorMessage: describeOutcome(outcome),
    responseBody: reasonsOf(outcome),
    outcome,
  };
}
