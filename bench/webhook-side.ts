/** One database with a service on it, as the webhook bench uses it. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, jsonOf, request } from './calls.ts';
import { LIVE_KEY, SDK_KEY, type Service } from './service.ts';
import { androidFingerprint, buildVisitors } from './visitors.ts';
import { openLog, type WebhookLog } from './webhook-log.ts';

/** In the form of Standard Webhooks. */
export const SECRET = `whsec_${Buffer.from('a secret of the benchmark alone!').toString('base64')}`;

const MAX_BATCH = 500;
const BATCH_CONNECTIONS = 4;
const POLL_MS = 100;

export interface Side extends AsyncDisposable {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly service: Service;
  readonly log: WebhookLog;
  /** Whose events are recorded. */
  readonly installId: string;
}

export async function openSide(caller: Caller, engine: Side['engine'], service: Service): Promise<Side> {
  const installId = await install(caller, service);
  const log = await openLog(service.database);
  return { engine, service, log, installId, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() };
}

async function install(caller: Caller, { port }: Service): Promise<string> {
  const [visitor] = buildVisitors(1, 20_261_121, 'android');
  if (visitor === undefined) throw new Error('there is no visitor');
  const headers = { 'X-Api-Key': SDK_KEY, 'X-Forwarded-For': visitor.address };
  const body = { fingerprint: androidFingerprint(visitor) };
  const { answers } = await caller.call({
    port,
    connections: 1,
    requests: [request('POST', '/v1/sdk/install', headers, body)],
  });
  return jsonOf<{ installId: string }>(answers[0] ?? '').installId;
}

/**
 * Subscribes an address and gives the webhook's identifier.
 * @param events what it is told of; none means everything.
 */
export async function subscribe(
  { service }: Pick<Side, 'service'>,
  url: string,
  events: readonly string[] = ['event.recorded'],
): Promise<string> {
  const answer = await manage(service, 'POST', '', { url, secret: SECRET, events });
  return ((await answer.json()) as { id: string }).id;
}

export async function unsubscribe({ service }: Side, webhookId: string): Promise<void> {
  await manage(service, 'DELETE', `/${webhookId}`);
}

async function manage({ port }: Service, method: string, path: string, body?: object): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/webhooks${path}`, {
    method,
    headers: { 'x-api-key': LIVE_KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`a webhook could not be managed: ${await answer.text()}`);
  return answer;
}

/**
 * Records so many events in batches, as fast as they are taken.
 * @throws when one is not recorded.
 */
export async function recordEvents(
  caller: Caller,
  { service, installId }: Side,
  count: number,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(count / MAX_BATCH) }, (_, batch) =>
    Array.from({ length: Math.min(MAX_BATCH, count - batch * MAX_BATCH) }, (_, i) => ({
      installId,
      eventName: 'purchase',
      properties: { amount: 19.99, i: batch * MAX_BATCH + i },
    })),
  );
  const { answers } = await caller.call({
    port: service.port,
    connections: BATCH_CONNECTIONS,
    requests: batches.map((events, i) =>
      // Calls are counted by address.
      request(
        'POST',
        '/v1/sdk/events',
        { 'X-Api-Key': SDK_KEY, 'X-Forwarded-For': `12.0.${i >> 8}.${i & 255}` },
        { events },
      ),
    ),
  });
  const results = answers.flatMap(
    (answer) => jsonOf<{ results: { status: number; error?: string }[] }>(answer).results,
  );
  const refused = results.find(({ status }) => status !== 201);
  if (refused !== undefined) throw new Error(`an event was not recorded: ${refused.error}`);
}

/** @throws when something is still to be sent, or under way, after so long. */
export async function waitUntilIdle(
  { engine, log }: Pick<Side, 'engine' | 'log'>,
  withinMs: number,
): Promise<void> {
  for (let waitedMs = 0; (await log.open()) > 0; waitedMs += POLL_MS) {
    if (waitedMs > withinMs) throw new Error(`${engine}: ${await log.open()} deliveries are still open`);
    await wait(POLL_MS);
  }
}
