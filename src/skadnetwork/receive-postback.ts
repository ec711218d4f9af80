import { findAppByStoreId, hasAppWithStoreId } from '../apps/index.ts';
import { isUnavailable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type PostbackDeps, storePostback } from './store-postback.ts';
import { type Fields, type Kind, type Verification, verifyPostback } from './verification/index.ts';

/**
 * Receives a postback from a phone and stores it whatever its verdict: a repetition would not change that. Stores nothing
 * while no app has an App Store id.
 * @param postback `body` is the JSON text of `fields`. `spendUnproven` counts an unproven postback against the sender's
 * budget and throws above it.
 * @throws AppError `postback.not_stored` (500) while the database is unavailable: phones retry that status, nine times
 * within nine days (developer.apple.com/documentation/adattributionkit/verifying-a-postback).
 */
export async function receivePostback(
  deps: PostbackDeps,
  {
    spendUnproven,
    ...postback
  }: { kind: Kind; fields: Fields; body: string; spendUnproven: () => Promise<void> },
): Promise<Verification & { isCopy: boolean }> {
  const verification = await verifyPostback(deps.appleKeys, postback.kind, postback.fields);
  const { appStoreId, isTest } = verification.claims;
  try {
    const app = appStoreId === null ? undefined : await findAppByStoreId(deps.db, String(appStoreId));
    if (app === undefined && !(await hasAppWithStoreId(deps.db))) return { ...verification, isCopy: false };
    if (app === undefined || verification.verdict !== 'verified') await spendUnproven();
    const received = { ...postback, sentBy: 'device', isSandbox: isTest, verification, app } as const;
    return { ...verification, ...(await storePostback(deps, received)) };
  } catch (error) {
    throw isUnavailable(error) ? new AppError('postback.not_stored', { cause: error }) : error;
  }
}
