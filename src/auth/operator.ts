import type { ActingUser, ChangedBy } from '../audit/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Actor } from './actor.ts';
import { hasApp } from './queries.ts';

/** The holder of the admin token, or an operator by the session. */
export type Operator = 'admin' | { readonly user: ActingUser };

/** `keyId` of the holder of the admin token. */
const OPERATOR_KEY_ID = 'admin';

/** The author of the actor's changes, for the audit log. */
export function authorOf({ keyId, user }: Actor): ChangedBy {
  if (user !== undefined) return { user };
  return keyId === OPERATOR_KEY_ID ? 'admin' : { keyId };
}

/** The operator acts as an app's live key. @throws AppError `app.not_found`. */
export async function operatorOf(db: Db, appId: string, operator: Operator): Promise<Actor> {
  const caller = operator === 'admin' ? { keyId: OPERATOR_KEY_ID } : { keyId: operator.user.id, ...operator };
  return { appId: await existingAppId(db, appId), ...caller, mode: 'live', publishable: false };
}

/** In lower case. @throws AppError `app.not_found`. */
export async function existingAppId(db: Db, appId: string): Promise<string> {
  const id = appId.toLowerCase();
  if (!isUuid(appId) || !(await hasApp(db, id))) throw new AppError('app.not_found');
  return id;
}
