import type { KeyRing } from '../apps/index.ts';
import type { PublishingCtx } from '../webhooks/index.ts';
import type { UnprovenPostbacks } from './unproven-postbacks.ts';
import type { AppleKeys } from './verification/index.ts';

/** What this room needs: postbacks are verified, and webhooks are told of them. */
export type SkanCtx = PublishingCtx & {
  readonly keyRing: KeyRing;
  readonly appleKeys: AppleKeys;
  readonly unproven: UnprovenPostbacks;
};
