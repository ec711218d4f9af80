import type { InstallsTable } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import type { NetworkClaim } from './claim.ts';

/** What webhooks are told once a network is known; the order of the fields is documented. */
export function networkEvent(
  { clock }: Pick<Foundation, 'clock'>,
  install: Pick<InstallsTable, 'id' | 'platform' | 'sandbox'>,
  { appName, claim }: { appName: string; claim: NetworkClaim },
): WebhookEvent {
  return {
    type: 'install.network_attributed',
    timestamp: isoTime(clock.nowMs()),
    isSandbox: install.sandbox === 1,
    recordId: install.id,
    data: { installId: install.id, platform: install.platform, appName, ...claim },
  };
}
