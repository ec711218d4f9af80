/**
 * What sustained delivery is measured against, a process of its own: the plainest loop over `undici` that sends and signs
 * the same, and that stores nothing.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { serviceSignature, signingKeyOf, standardSignature } from '../src/webhooks/delivery/signature.ts';
import type { Sample } from './webhook-receiver.ts';

export interface BareOrder {
  readonly port: number;
  readonly path: string;
  readonly posts: number;
  readonly connections: number;
  readonly secret: string;
  /** One of the service's requests: all have its body and its headers, each with its own identifier and signatures. */
  readonly sample: Sample;
}

export interface BareResult {
  readonly firstError: string | null;
}

/** What belongs to the connection. */
const NOT_COPIED = new Set(['host', 'connection', 'content-length']);

process.on('message', async (order: BareOrder) => {
  const result: BareResult = await run(order).then(
    () => ({ firstError: null }),
    (error: unknown) => ({ firstError: String(error) }),
  );
  process.send?.(result);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function run({ port, path, posts, connections, secret, sample }: BareOrder): Promise<void> {
  const key = signingKeyOf(secret);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const copied = Object.entries(sample.headers).filter(([name]) => !NOT_COPIED.has(name));
  let started = 0;
  const worker = async () => {
    while (started < posts) {
      started += 1;
      const body = Buffer.from(sample.body);
      const messageId = randomUUID();
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const answer = await pool.request({
        method: 'POST',
        path,
        body,
        headers: {
          ...(Object.fromEntries(copied) as Record<string, string>),
          'webhook-id': messageId,
          'webhook-timestamp': timestamp,
          'x-service-signature': serviceSignature(key, body),
          'webhook-signature': standardSignature([key], { messageId, timestamp, body }),
        },
      });
      await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`a post was answered with ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
}
