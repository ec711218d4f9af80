export { type Auth, createAuth } from './access.ts';
export {
  type Actor,
  authorOf,
  canSee,
  mayAct,
  type Operator,
  operatorOf,
  ROLES,
  type Role,
} from './actor.ts';
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
export { KEY_KINDS, type KeyKind, makeKey } from './key.ts';
export { createKeyRing, type KeyRing } from './key-ring.ts';
export { revokeKeysOf, storeKey } from './keys.ts';
export { budgetOf, byApp, limitSdkCalls, MANAGEMENT_LIMIT } from './limits.ts';
export {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionByToken,
  deleteSessions,
  findRole,
  hasKeysOfRegion,
  insertSession,
  type KeyRow,
  listActiveKeysOf,
  listSessions,
} from './queries.ts';
export { Key, presentKey } from './schemas.ts';
export { hashToken, refuseCrossSite, SESSION_MS, type SignedIn, signedInOf } from './session.ts';
export { CHECK_EVERY_MS, refusalOf, whileAllowed } from './while-allowed.ts';
