import { type Actor, findApp } from '../apps/index.ts';
import { AppError } from '../platform/errors.ts';
import type { SkanCtx } from './skan-ctx.ts';
import { storePostback } from './store-postback.ts';
import { type Fields, type Kind, type Verification, verifyPostback } from './verification/index.ts';

/**
 * Takes a copy of a postback that an ad network, or whoever got it, passes on with a key of the app.
 * @throws AppError `request.invalid` for what is no postback, `postback.other_app` where the App Store id is not the app's.
 */
export async function receiveCopy(
  ctx: SkanCtx,
  { actor, fields, body }: { actor: Actor; fields: Fields; body: string },
): Promise<Verification & { kind: Kind; isCopy: boolean }> {
  const kind = kindOf(fields);
  const verification = await verifyPostback(ctx.appleKeys, kind, fields);
  const { appStoreId, isTest } = verification.claims;
  const app = await findApp(ctx.db, actor.appId);
  if (appStoreId === null || app?.ios_app_store_id !== String(appStoreId))
    throw new AppError('postback.other_app');
  const isSandbox = isTest || actor.mode === 'test';
  const received = { kind, fields, body, sentBy: 'network', isSandbox, verification, app } as const;
  return { ...verification, kind, ...(await storePostback(ctx, received)) };
}

function kindOf(fields: Fields): Kind {
  if (fields['jws-string'] !== undefined) return 'adattributionkit';
  if (fields['attribution-signature'] !== undefined) return 'skadnetwork';
  throw new AppError('request.invalid', {
    message:
      'The body is no postback: it has neither attribution-signature (SKAdNetwork) nor jws-string (AdAttributionKit). Send it as Apple sent it.',
  });
}
