/** Shared helpers of the webhook delivery tests. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { IPHONE_FINGERPRINT } from './callers.ts';
import type { Place } from './engines.ts';
import type { RunningServer } from './process.ts';
import { queryStored } from './stored.ts';

export interface StoredAttempt {
  readonly message_id: string;
  readonly http_status: number;
  readonly error_message: string | null;
  readonly attempt_number: number;
  readonly success: number;
}

/** Completed attempts of one webhook, oldest first. */
export async function storedAttempts(place: Place, webhookId: string): Promise<StoredAttempt[]> {
  const rows = await queryStored(
    place,
    `select message_id, http_status, error_message, attempt_number, success
     from webhook_attempts where webhook_id = '${webhookId}' order by id`,
  );
  // PostgreSQL's driver returns 64-bit integers as text.
  return rows.map((row) => ({
    ...(row as unknown as StoredAttempt),
    http_status: Number(row.http_status),
    attempt_number: Number(row.attempt_number),
    success: Number(row.success),
  }));
}

/** Number of deliveries of one webhook that are waiting or in flight. */
export async function waitingFor(place: Place, webhookId: string): Promise<number> {
  const [row] = await queryStored(
    place,
    `select count(*) as waiting from webhook_queue where webhook_id = '${webhookId}'`,
  );
  return Number(row?.waiting);
}

/** Calls a running service; the response must be a success. */
export async function callServer(
  { url }: RunningServer,
  key: string,
  [method, path, body]: readonly [method: string, path: string, body?: object],
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the response, and fails if it is missing.
): Promise<any> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

export async function installOn(server: RunningServer, key: string): Promise<string> {
  const body = { fingerprint: IPHONE_FINGERPRINT };
  return (await callServer(server, key, ['POST', '/v1/sdk/install', body])).installId;
}

/** Records batches of events and returns their IDs; each event triggers a webhook. */
export async function sendBatches(
  server: RunningServer,
  { key, installId, batches }: { key: string; installId: string; batches: number },
): Promise<string[]> {
  const ids: string[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const events = Array.from({ length: 500 }, () => ({
      installId,
      eventName: 'level',
      eventId: randomUUID(),
    }));
    const { results } = await callServer(server, key, ['POST', '/v1/sdk/events', { events }]);
    for (const { status } of results as { status: number }[]) assert.equal(status, 201);
    ids.push(...events.map(({ eventId }) => eventId));
  }
  return ids;
}

export function countBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
