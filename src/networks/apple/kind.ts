/** Apple as a receiver of the delivery engine: one exchange for an install, for up to 24 hours, at the pace of its app. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import type { Ended, MessageRow, PreparedCall, Reading, ReceiverKind, Target } from '../../webhooks/index.ts';
import { type AppleOutcome, readAnswer } from './answer.ts';
import type { Reach } from './reach.ts';
import { type AnswerDeps, recordAnswer } from './record-answer.ts';

const TOKEN_MS = DAY_MS;
const MAX_RESPONSE_BYTES = 16 * 1024;
/** Of one app and process: Apple may hold a request for a second. */
const MAX_IN_FLIGHT = 20;
/** By Apple's advice for a record that is not there yet. */
const NOT_FOUND_MS = 5 * SECOND_MS;
const NOT_FOUND_RETRIES = 3;
/** After an outage; together somewhat less than a token lives. */
const OUTAGE_MS = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 4 * HOUR_MS, 4 * HOUR_MS, 4 * HOUR_MS, 4 * HOUR_MS],
];
/** Messages whose answers 404 this process counts. */
const MAX_COUNTED = 10_000;

/** What an attempt read, with the number of answers 404 so far. */
interface AttemptOutcome extends AppleOutcome {
  readonly timesNotFound: number;
}

export type AppleAdsKindDeps = AnswerDeps &
  Pick<Foundation, 'config'> & { readonly reach: Pick<Reach, 'note'> };

export function createAppleAdsKind(deps: AppleAdsKindDeps): ReceiverKind {
  const notFound = new LRUCache<string, number>({ max: MAX_COUNTED });
  const target = toTarget(deps, notFound);
  return {
    // One for each app, so that no app's tokens hold back those of others.
    receiverOf: ({ app_id: appId }) => ({
      id: createHash('sha256').update(`${appId} apple_ads`).digest('base64url'),
      intervalMs: null,
    }),
    open: () => target as Target,
  };
}

function toTarget(deps: AppleAdsKindDeps, notFound: LRUCache<string, number>): Target<AttemptOutcome> {
  return {
    maxInFlight: MAX_IN_FLIGHT,
    failedAction: null,
    toCall: (message) => toCall(deps, message, notFound),
    retryDelayMs: ({ outcome }, failedAttempts) => retryDelayMs(outcome, failedAttempts),
    note: deps.reach.note,
    async recordEnd(tx, { message, result }: Ended<AttemptOutcome>) {
      notFound.delete(message.id);
      return await recordAnswer(tx, deps, { message, answer: result.outcome ?? GAVE_UP });
    },
  };
}

const GAVE_UP: AppleOutcome = { outcome: 'gave_up', claim: null };

async function toCall(
  { appDirectory, clock, config }: AppleAdsKindDeps,
  message: MessageRow,
  notFound: LRUCache<string, number>,
): Promise<PreparedCall<AttemptOutcome> | Reading<AttemptOutcome>> {
  const app = await appDirectory.get(message.app_id);
  if (app.apple_ads !== 1) return ended('stopped', 'Apple Ads is switched off in the settings of the app.');
  if (clock.nowMs() - (uuidTimeMs(message.id) ?? 0) > TOKEN_MS)
    return ended('gave_up', 'The token is older than 24 hours.');
  return {
    url: `${config.appleAdsUrl}/`,
    headers: { 'content-type': 'text/plain', accept: 'application/json' },
    body: Buffer.from(message.body),
    maxResponseBytes: MAX_RESPONSE_BYTES,
    read(response) {
      const answer = readAnswer(response, clock.nowMs());
      const success = answer?.outcome === 'attributed' || answer?.outcome === 'not_attributed';
      const timesNotFound = (notFound.get(message.id) ?? 0) + (answer?.outcome === 'not_found' ? 1 : 0);
      if (timesNotFound > 0) notFound.set(message.id, timesNotFound);
      const outcome = { ...(answer ?? { outcome: null, claim: null }), timesNotFound };
      const errorMessage = success ? null : `Apple answered with ${response.status}.`;
      // The answer is kept with the install.
      return { success, errorMessage, responseBody: '', outcome };
    },
  };
}

function ended(outcome: 'stopped' | 'gave_up', errorMessage: string): Reading<AttemptOutcome> {
  return { success: false, errorMessage, outcome: { outcome, claim: null, timesNotFound: 0 } };
}

/** @param read undefined if nothing arrived. @returns null after the last attempt. */
function retryDelayMs(read: AttemptOutcome | undefined, failedAttempts: number): number | null {
  if (read === undefined || read.outcome === null) return OUTAGE_MS[failedAttempts - 1] ?? null;
  if (read.outcome === 'not_found') return read.timesNotFound <= NOT_FOUND_RETRIES ? NOT_FOUND_MS : null;
  return null;
}
