import type { Foundation } from '../../foundation.ts';
import { type AppleAdsKindDeps, createAppleAdsKind } from './kind.ts';
import { createReach } from './reach.ts';
import { createAppleReceivers } from './token-message.ts';

export { tokenMessage } from './token-message.ts';
export { listWaitingTokens } from './waiting-tokens.ts';

/** The exchange of Apple's tokens: how the delivery engine calls Apple, and the receiver that tokens go to. */
export function createAppleAds(
  deps: Omit<AppleAdsKindDeps, 'reach'> & Pick<Foundation, 'db' | 'log' | 'metrics'>,
) {
  const reach = createReach(deps);
  return {
    kind: createAppleAdsKind({ ...deps, reach }),
    makeReceiver: createAppleReceivers(deps),
    away: reach.away,
  };
}
export type AppleAds = ReturnType<typeof createAppleAds>;
