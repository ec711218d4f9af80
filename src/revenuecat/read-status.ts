import { findApp } from '../apps/index.ts';
import type { Foundation } from '../foundation.ts';
import { isKnownKind } from './kinds.ts';
import { countWaiting, listKinds } from './queries.ts';
import type { RevenueCatStatus } from './schemas.ts';

/** What RevenueCat has sent to an app. */
export async function readStatus(
  { db, config }: Pick<Foundation, 'db' | 'config'>,
  appId: string,
): Promise<RevenueCatStatus> {
  const kinds = await listKinds(db, appId);
  const app = await findApp(db, appId);
  const times = kinds.map(({ received_at }) => received_at).sort();
  return {
    address: `${config.publicUrl}/v1/integrations/revenuecat/${appId}`,
    isOn: app !== undefined && app.revenuecat_key !== null,
    lastReceivedAt: times.at(-1) ?? null,
    kinds: kinds.map(({ kind, received, dropped, received_at }) => ({
      kind,
      isKnown: isKnownKind(kind),
      received,
      dropped,
      lastReceivedAt: received_at,
    })),
    waiting: await countWaiting(db, appId),
  };
}
