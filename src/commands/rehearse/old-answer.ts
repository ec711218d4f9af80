import type { Clock } from '../../lib/clock.ts';
import { type Outgoing, OutgoingError, type OutgoingResponse, pauseOf } from '../../lib/outgoing/index.ts';
import type { Asked } from './answer.ts';
import { appOf, comparable } from './comparable.ts';
import type { Pace } from './pace.ts';
import { readPage } from './page.ts';
import type { RehearsedVisitor } from './visitors.ts';

const MAX_HOPS = 10;
const TIMEOUT_MS = 15_000;
/** What a page says of itself is at its start. */
const MAX_PAGE_BYTES = 256 * 1024;
/** Of a connection that failed; a service that asks to wait is asked again up to `MAX_WAITS` times. */
const TRIES = 2;
const MAX_WAITS = 20;
/** Failures that a second try may not meet. */
const MAY_PASS: readonly string[] = ['connection', 'timeout', 'protocol'];
/** For a 429 that names no time. */
const DEFAULT_WAIT_MS = 30_000;

export interface OldAnswerDeps {
  readonly outgoing: Pick<Outgoing, 'read'>;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before a wait that the old service asks for. */
  readonly onWait: (seconds: number) => void;
}

interface Trip {
  readonly visitor: RehearsedVisitor;
  /** Send HEAD where it answers the question: many services do not count it as a click. */
  readonly mayUseHead: boolean;
  /** Where the answer of the new service leads: there the way ends, since both go on together. */
  readonly target: string | null;
}

/**
 * Follows redirects from an address of the old service to where they end. What other hosts than its own answer, other than
 * redirects, is not the old service's answer: the visitor was led there.
 */
export async function followOld(deps: OldAnswerDeps, address: string, trip: Trip): Promise<Asked> {
  return await follow(deps, address, { ...trip, oldHost: new URL(address).host });
}

/** Where a destination leads in the end. */
export async function followDestination(deps: OldAnswerDeps, address: string, trip: Trip): Promise<Asked> {
  return await follow(deps, address, { ...trip, oldHost: null });
}

type Way = Trip & { readonly oldHost: string | null };

async function follow(deps: OldAnswerDeps, address: string, way: Way): Promise<Asked> {
  const hops = [address];
  let status: number | null = null;
  for (let at = address; ; ) {
    const isOld = new URL(at).host === way.oldHost;
    const arrived = { answer: { kind: 'leads', to: at }, status, hops } as const;
    if (isEnd(at, way, hops.length === 1)) return arrived;
    const response = await ask(deps, at, { way, isOld });
    if (response instanceof OutgoingError)
      return isOld ? { answer: { kind: 'unreachable', why: response.message }, status, hops } : arrived;
    status = response.status;
    const next = nextOf(response, at);
    if (next === null) return { answer: answerOf(response, { at, way, isOld }), status, hops };
    if (hops.includes(next) || hops.length > MAX_HOPS) {
      const why = `The redirects do not end within ${MAX_HOPS} steps.`;
      return { answer: { kind: 'unreachable', why }, status, hops };
    }
    hops.push(next);
    at = next;
  }
}

/** Stores and addresses that only phones open are not asked: everybody knows what they are. */
function isEnd(at: string, { visitor, target }: Way, isFirst: boolean): boolean {
  if (!/^https?:/.test(at) || appOf(at) !== null) return true;
  return !isFirst && !visitor.readsCard && target !== null && comparable(at) === comparable(target);
}

function nextOf({ status, location, body }: OutgoingResponse, at: string): string | null {
  if (status >= 300 && status < 400 && location !== undefined) {
    // Browsers read the bytes of the header as UTF-8.
    const text = Buffer.from(location, 'latin1').toString();
    return URL.canParse(text, at) ? new URL(text, at).href : null;
  }
  return body === '' ? null : readPage(body, at).refresh;
}

function answerOf(
  { status, body }: OutgoingResponse,
  { at, way, isOld }: { at: string; way: Way; isOld: boolean },
): Asked['answer'] {
  if (isOld && (status === 404 || status === 410)) return { kind: 'ended' };
  if (isOld && (status < 200 || status >= 300))
    return { kind: 'unreachable', why: `The old service answered ${status}.` };
  const { card, addresses } = readPage(body, at);
  if (way.visitor.readsCard && status < 400) return { kind: 'card', at, card };
  return isOld ? { kind: 'page', at, addresses } : { kind: 'leads', to: at };
}

/** A HEAD that is not answered by a redirect is asked again as GET: some services know GET only, and pages have a body. */
async function ask(
  deps: OldAnswerDeps,
  address: string,
  { way, isOld }: { way: Way; isOld: boolean },
): Promise<OutgoingResponse | OutgoingError> {
  const needsPage = way.visitor.readsCard && !isOld;
  if (way.mayUseHead && !needsPage) {
    const response = await askPatiently(deps, 'HEAD', address, { way, isOld });
    if (response instanceof OutgoingError) return response;
    if (nextOf(response, address) !== null || (!isOld && response.status < 400)) return response;
  }
  return await askPatiently(deps, 'GET', address, { way, isOld });
}

async function askPatiently(
  { outgoing, pace, clock, signal, onWait }: OldAnswerDeps,
  method: 'GET' | 'HEAD',
  address: string,
  { way, isOld }: { way: Way; isOld: boolean },
): Promise<OutgoingResponse | OutgoingError> {
  const request = {
    headers: way.visitor.headers,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_PAGE_BYTES,
    signal,
  };
  for (let tries = 1, waits = 0; ; ) {
    await pace.turn(signal);
    const response = await outgoing.read(method, address, request).catch(toFailure);
    const isFailed = response instanceof OutgoingError;
    if (isFailed && (tries === TRIES || !MAY_PASS.includes(response.reason))) return response;
    if (isFailed) {
      tries += 1;
      continue;
    }
    const waitMs = isOld ? waitOf(response, clock.nowMs()) : null;
    if (waitMs === null || waits === MAX_WAITS) return response;
    waits += 1;
    onWait(Math.ceil(waitMs / 1_000));
    pace.pause(waitMs);
  }
}

function waitOf(response: OutgoingResponse, nowMs: number): number | null {
  return pauseOf(response, nowMs) ?? (response.status === 429 ? DEFAULT_WAIT_MS : null);
}

/** A response that was cut off has said enough by its headers. @throws what is no failure of the network. */
function toFailure(error: unknown): OutgoingResponse | OutgoingError {
  if (!(error instanceof OutgoingError)) throw error;
  return error.partial ?? error;
}
