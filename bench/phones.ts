/** Phones that tap a link to Play, and later tell of their install with the referrer that Play gives to the app. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, jsonOf, locationOf, request } from './calls.ts';
import { percentile } from './markdown.ts';
import { say } from './progress.ts';
import { waitUntilApplied } from './rounds.ts';
import { SDK_KEY, type Service } from './service.ts';
import { androidFingerprint, buildVisitors, LINKS, shortCode, type Visitor } from './visitors.ts';

/** Installs come later than this after their tap; an earlier one would be looked up once more for other nodes' sake. */
const DOWNLOAD_MS = 31_000;
const TAP_CONNECTIONS = 64;
const SEED = 20_261_120;

/** A phone that tapped, and the referrer that Play will give to its app. */
export interface Phone {
  readonly visitor: Visitor;
  readonly referrer: string;
}

export interface Installs {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Resolves when so many clicks are in the database. Each is from an address of its own, on an Android phone. */
export async function tap(caller: Caller, service: Service, count: number): Promise<Phone[]> {
  const visitors = buildVisitors(count, SEED, 'android');
  const startMs = Date.now();
  const { answers } = await caller.call({
    port: service.port,
    connections: TAP_CONNECTIONS,
    requests: visitors.map(({ address, userAgent, acceptLanguage }, i) =>
      request('GET', `/l/${shortCode(i % LINKS)}`, {
        'X-Forwarded-For': address,
        'User-Agent': userAgent,
        'Accept-Language': acceptLanguage,
      }),
    ),
  });
  await waitUntilApplied(service, startMs, count);
  return visitors.map((visitor, i) => {
    const referrer = locationOf(answers[i] ?? '').searchParams.get('referrer');
    if (referrer === null) throw new Error('a tap did not lead to Play with a referrer');
    return { visitor, referrer };
  });
}

/** Between the last tap and the first install. */
export async function download(): Promise<void> {
  say('the phones download');
  await wait(DOWNLOAD_MS);
}

/** @throws when an install is not attributed to the click of its phone. */
export async function install(
  caller: Caller,
  service: Service,
  phones: readonly Phone[],
  connections: number,
): Promise<Installs> {
  const { answers, latenciesMs, elapsedMs } = await caller.call({
    port: service.port,
    connections,
    requests: phones.map(installRequest),
  });
  for (const [i, { referrer }] of phones.entries()) {
    const answer = jsonOf<{ attributed: boolean; method: string; clickId: string }>(answers[i] ?? '');
    const isExpected = answer.method === 'INSTALL_REFERRER' && referrer.endsWith(`=${answer.clickId}`);
    if (!answer.attributed || !isExpected) throw new Error(`not attributed to its click: ${answers[i]}`);
  }
  return {
    perSecond: (phones.length / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** Installs that no click explains, each from an address of its own. Gives their identifiers. */
export async function registerInstalls(caller: Caller, { port }: Service, count: number): Promise<string[]> {
  const { answers } = await caller.call({
    port,
    connections: 4,
    requests: buildVisitors(count, SEED + 1, 'android').map((visitor) =>
      request(
        'POST',
        '/v1/sdk/install',
        { 'X-Api-Key': SDK_KEY, 'X-Forwarded-For': visitor.address },
        { fingerprint: androidFingerprint(visitor) },
      ),
    ),
  });
  return answers.map((answer) => jsonOf<{ installId: string }>(answer).installId);
}

function installRequest({ visitor, referrer }: Phone): string {
  const headers = { 'X-Api-Key': SDK_KEY, 'X-Forwarded-For': visitor.address };
  return request('POST', '/v1/sdk/install', headers, {
    fingerprint: androidFingerprint(visitor),
    installReferrer: referrer,
  });
}
