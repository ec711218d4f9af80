import type { Foundation } from '../../foundation.ts';
import { type AppleAdsKindDeps, createAppleAdsKind } from './kind.ts';
import { createAppleReceivers } from './token-message.ts';

export { tokenMessage } from './token-message.ts';

/** The exchange of Apple's tokens: how the delivery engine calls Apple, and the receiver that tokens go to. */
export function createAppleAds(deps: AppleAdsKindDeps & Pick<Foundation, 'db'>) {
  return { kind: createAppleAdsKind(deps), makeReceiver: createAppleReceivers(deps) };
}
export type AppleAds = ReturnType<typeof createAppleAds>;
