import type { Foundation } from '../../foundation.ts';
import type { After } from '../../lib/clock.ts';
import type { WebhookRow } from '../webhook.ts';
import { hastenRetries, LEASE_MS } from './queue.ts';

/** Brings forward the retries of a webhook: at once, and again those of attempts that were in flight. */
export async function hasten(
  { db, clock, after, log }: Pick<Foundation, 'db' | 'clock' | 'log'> & { readonly after: After },
  webhook: WebhookRow,
  release: () => void,
): Promise<void> {
  const now = async () => {
    while (await hastenRetries(db, { clock }, webhook));
    release();
  };
  await now();
  after(LEASE_MS, () => {
    now().catch((err: unknown) =>
      log.warn({ err }, 'Failed to bring retries forward: they come when they are due'),
    );
  });
}
