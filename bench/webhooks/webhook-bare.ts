/** The baseline for webhook delivery, a separate process: an `undici` loop that signs and sends the same requests. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { serviceSignature, signingKeyOf, standardSignature } from '../../src/webhooks/signature.ts';
import { serveOrders } from '../lib/worker.ts';
import type { Sample } from './webhook-receiver.ts';

export interface BareOrder {
  readonly port: number;
  readonly path: string;
  readonly posts: number;
  readonly connections: number;
  readonly secret: string;
  /** A request of the service: its body and headers are sent, each with its own id and signatures. */
  readonly sample: Sample;
}

/** Headers of the connection. */
const NOT_COPIED = new Set(['host', 'connection', 'content-length']);

serveOrders(run);

async function run({ port, path, posts, connections, secret, sample }: BareOrder): Promise<object> {
  const key = signingKeyOf(secret);
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const copied = Object.entries(sample.headers).filter(([name]) => !NOT_COPIED.has(name));
  let started = 0;
  const post = async () => {
    while (started < posts) {
      started += 1;
      const body = Buffer.from(sample.body);
      const messageId = randomUUID();
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const response = await pool.request({
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
      await response.body.text();
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode} of a post`);
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  await pool.close();
  return {};
}
