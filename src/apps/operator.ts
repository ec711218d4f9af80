import type { ChangedBy } from '../audit/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Actor } from './app.ts';
import { findApp } from './queries.ts';

/** `keyId` of the operator, who calls with the admin token. */
const OPERATOR_KEY_ID = 'admin';

/** The author of the actor's changes, for the audit log. */
export function authorOf({ keyId, user }: Actor): ChangedBy {
  if (user !== undefined) return { user };
  return keyId === OPERATOR_KEY_ID ? 'admin' : { keyId };
}

/** The operator acts as an app's live key. @throws AppError `app.not_found`. */
export async function operatorOf(db: Db, appId: string): Promise<Actor> {
  const app = isUuid(appId) ? await findApp(db, appId.toLowerCase()) : undefined;
  if (app === undefined) throw new AppError('app.not_found');
  return { appId: app.id, keyId: OPERATOR_KEY_ID, mode: 'live', publishable: false };
}
