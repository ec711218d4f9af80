/** What an answer says of the batch that was sent. */
import type { LRUCache } from 'lru-cache';
import type { MessageRow, Reading } from '../attempts/index.ts';
import { isTest } from '../webhook.ts';
import type { RecordRef } from './batch.ts';
import type { Collected } from './collect.ts';
import type { Destination } from './destination.ts';
import { type BatchOutcome, describeOutcome, isAllRefused, outcomeOf, reasonsOf } from './judge.ts';
import { readResponse } from './read-response.ts';

/** Calls refused whole in a row: then the destination may be wrong rather than its records, which wait for the most part. */
const MAX_REFUSALS = 50;
const MAX_EXCERPT_CHARACTERS = 1_000;

/** By destination: calls refused whole since the last one that was not. */
export type Refusals = LRUCache<string, number>;

export function readCall(
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
      blamesMessage: true,
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

export function toReading(outcome: BatchOutcome): Reading<BatchOutcome> {
  return {
    success: !isAllRefused(outcome),
    errorMessage: describeOutcome(outcome),
    responseBody: reasonsOf(outcome),
    outcome,
  };
}
