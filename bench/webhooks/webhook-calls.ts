/** Webhooks of a service in a bench. */
import { setTimeout as wait } from 'node:timers/promises';
import { countQueued } from '../lib/database.ts';
import { callApi, type Service } from '../lib/service.ts';

/** In the format of Standard Webhooks. */
export const SECRET = `whsec_${Buffer.from('a secret of the benchmark alone!').toString('base64')}`;

const POLL_MS = 100;

export interface Side {
  readonly engine: 'PostgreSQL' | 'SQLite';
  readonly service: Service;
  /** The install whose events are recorded. */
  readonly installIds: readonly string[];
}

/** @param events empty for all. @returns the webhook's id. */
export async function createWebhook(
  service: Service,
  url: string,
  events: readonly string[] = ['event.recorded'],
): Promise<string> {
  const body = { url, secret: SECRET, events };
  return (await callApi<{ id: string }>(service, 'POST', '/v1/webhooks', body)).id;
}

export async function deleteWebhook(service: Service, webhookId: string): Promise<void> {
  await callApi(service, 'DELETE', `/v1/webhooks/${webhookId}`);
}

/** @throws if deliveries are still open after the timeout. */
export async function waitUntilIdle(
  { engine, service }: Pick<Side, 'engine' | 'service'>,
  timeoutMs: number,
): Promise<void> {
  const startMs = performance.now();
  for (;;) {
    const open = await countQueued(service.reader);
    if (open === 0) return;
    if (performance.now() - startMs > timeoutMs)
      throw new Error(`${engine}: ${open} deliveries are still open`);
    await wait(POLL_MS);
  }
}
