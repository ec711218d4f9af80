import { findAppByStoreId, hasAppWithStoreId } from '../apps/index.ts';
import { isUnavailable } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import type { SkanCtx } from './skan-ctx.ts';
import { storePostback } from './store-postback.ts';
import { type Fields, type Kind, type Verification, verifyPostback } from './verification/index.ts';

/**
 * Takes a postback from a phone. Whatever its verdict, it is stored and the phone is done with it: sent again, it would
 * be no better. While no app has an App Store id nothing is stored: postbacks are not in use then.
 * @param postback `body` is the JSON text that `fields` were read from; `spendUnproven` counts one that is not verified
 * or of no app against its sender's budget, and throws above it.
 * @throws AppError `postback.not_stored`, 500, while the database is away: after that status a phone tries again up to
 * nine times within nine days (developer.apple.com/documentation/adattributionkit/verifying-a-postback).
 */
export async function receivePostback(
  ctx: SkanCtx,
  {
    spendUnproven,
    ...postback
  }: { kind: Kind; fields: Fields; body: string; spendUnproven: () => Promise<void> },
): Promise<Verification & { isCopy: boolean }> {
  const verification = await verifyPostback(ctx.appleKeys, postback.kind, postback.fields);
  const { appStoreId, isTest } = verification.claims;
  try {
    const app = appStoreId === null ? undefined : await findAppByStoreId(ctx.db, String(appStoreId));
    if (app === undefined && !(await hasAppWithStoreId(ctx.db))) return { ...verification, isCopy: false };
    if (app === undefined || verification.verdict !== 'verified') await spendUnproven();
    const received = { ...postback, sentBy: 'device', isSandbox: isTest, verification, app } as const;
    return { ...verification, ...(await storePostback(ctx, received)) };
  } catch (error) {
    throw isUnavailable(error) ? new AppError('postback.not_stored', { cause: error }) : error;
  }
}
