export { type Actor, canSee, mayAct, ROLES, type Role } from './actor.ts';
export {
  authenticate,
  type BySession,
  budgetOf,
  byApp,
  countingRefusals,
  type KeyDemand,
  MANAGEMENT_LIMIT,
  type OperatorBySession,
  requireAdmin,
  requireKey,
} from './authenticate.ts';
export {
  browserCookie,
  browserOf,
  flowCookie,
  flowOf,
  formerCookieRemoval,
  formerTokenOf,
  SIGN_IN_MS,
  sessionCookie,
  sessionTokenOf,
} from './cookie.ts';
export { refuseCrossSite } from './cross-site.ts';
export { KEY_KINDS, type KeyKind, makeKey } from './key.ts';
export { createKeyRing, type KeyRing } from './key-ring.ts';
export { revokeKeysOf, storeKey } from './keys.ts';
export { authorOf, type Operator, operatorOf } from './operator.ts';
export {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessions,
  findRole,
  hasKeysOfRegion,
  insertSession,
  listActiveKeysOf,
  listSessions,
} from './queries.ts';
export { Key, presentKey } from './schemas.ts';
export { addSdkHooks } from './sdk-hooks.ts';
export {
  actorOfSession,
  hashToken,
  operatorOfSession,
  requireMember,
  requireSession,
  SESSION_MS,
  type SignedIn,
  signedInOf,
} from './session.ts';
