/** Phones that tap a link to Google Play, and later report their install with Play's referrer. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitUntilApplied } from '../redirects/rounds.ts';
import type { Caller } from './caller.ts';
import { parseJson, parseLocation, requestText } from './http-messages.ts';
import { percentile } from './markdown.ts';
import { SDK_KEY, type Service } from './service.ts';
import { androidFingerprint, buildVisitors, LINKS, shortCode, type Visitor } from './visitors.ts';

/** Installs of younger clicks would cost an additional look-up for clicks of other nodes. */
const MIN_CLICK_AGE_MS = 31_000;
const TAP_CONNECTIONS = 64;
const INSTALL_CONNECTIONS = 4;
const SEED = 20_261_120;

/** A phone after its tap. */
export interface Phone {
  readonly visitor: Visitor;
  readonly referrer: string;
}

/** Taps from Android phones with one address each. Resolves once the clicks are in the database. */
export async function tapLinks(caller: Caller, service: Service, count: number): Promise<Phone[]> {
  const visitors = buildVisitors(count, SEED, 'android');
  const startMs = Date.now();
  const { responses } = await caller.run({
    port: service.port,
    connections: TAP_CONNECTIONS,
    requests: visitors.map(({ address, userAgent, acceptLanguage }, i) =>
      requestText('GET', `/l/${shortCode(i % LINKS)}`, {
        'X-Forwarded-For': address,
        'User-Agent': userAgent,
        'Accept-Language': acceptLanguage,
      }),
    ),
  });
  await waitUntilApplied(service, startMs, count);
  return visitors.map((visitor, i) => {
    const referrer = parseLocation(responses[i] ?? '').searchParams.get('referrer');
    if (referrer === null) throw new Error('a tap did not lead to Play with a referrer');
    return { visitor, referrer };
  });
}

export async function waitForDownloads(): Promise<void> {
  console.error('waiting for the downloads');
  await wait(MIN_CLICK_AGE_MS);
}

/** @throws unless each install is attributed to the click of its phone. */
export async function recordInstalls(
  caller: Caller,
  { port }: Service,
  phones: readonly Phone[],
  connections: number,
): Promise<{ perSecond: number; p50Ms: number; p99Ms: number }> {
  const requests = phones.map(({ visitor, referrer }) => installRequest(visitor, referrer));
  const { responses, latenciesMs, elapsedMs } = await caller.run({ port, connections, requests });
  for (const [i, { referrer }] of phones.entries()) {
    const answer = parseJson<{ attributed: boolean; method: string; clickId: string }>(responses[i] ?? '');
    const isExpected = answer.method === 'INSTALL_REFERRER' && referrer.endsWith(`=${answer.clickId}`);
    if (!answer.attributed || !isExpected) throw new Error(`not attributed to its click: ${responses[i]}`);
  }
  return {
    perSecond: (phones.length / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** Records organic installs with one address each. @returns their ids. */
export async function recordOrganicInstalls(
  caller: Caller,
  { port }: Service,
  count: number,
): Promise<string[]> {
  const visitors = buildVisitors(count, SEED + 1, 'android');
  const requests = visitors.map((visitor) => installRequest(visitor));
  const { responses } = await caller.run({ port, connections: INSTALL_CONNECTIONS, requests });
  return responses.map((response) => parseJson<{ installId: string }>(response).installId);
}

function installRequest(visitor: Visitor, installReferrer?: string): string {
  const headers = { 'X-Api-Key': SDK_KEY, 'X-Forwarded-For': visitor.address };
  const body = { fingerprint: androidFingerprint(visitor), installReferrer };
  return requestText('POST', '/v1/sdk/install', headers, body);
}
