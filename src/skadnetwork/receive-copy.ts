import { findApp } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { type PostbackDeps, storePostback } from './store-postback.ts';
import { type Fields, type Kind, type Verification, verifyPostback } from './verification/index.ts';

/**
 * Receives a copy of a postback that an ad network forwards with a key of the app.
 * @throws AppError `request.invalid` for another body, `postback.other_app` for the App Store id of another app.
 */
export async function receiveCopy(
  deps: PostbackDeps,
  { actor, fields, body }: { actor: Actor; fields: Fields; body: string },
): Promise<Verification & { kind: Kind; isCopy: boolean }> {
  const kind = detectKind(fields);
  const verification = await verifyPostback(deps.appleKeys, kind, fields);
  const { appStoreId, isTest } = verification.claims;
  const app = await findApp(deps.db, actor.appId);
  if (appStoreId === null || app?.ios_app_store_id !== String(appStoreId))
    throw new AppError('postback.other_app');
  const isSandbox = isTest || actor.mode === 'test';
  const received = { kind, fields, body, sentBy: 'network', isSandbox, verification, app } as const;
  return { ...verification, kind, ...(await storePostback(deps, received)) };
}

function detectKind(fields: Fields): Kind {
  if (fields['jws-string'] !== undefined) return 'adattributionkit';
  if (fields['attribution-signature'] !== undefined) return 'skadnetwork';
  throw new AppError('request.invalid', {
    message:
      'The body is not a postback: it needs attribution-signature (SKAdNetwork) or jws-string (AdAttributionKit). Send it as Apple sent it.',
  });
}
