export { dropExpiredAccess } from './drop-expired.ts';
export { listOwnerEmails } from './membership-queries.ts';
export { createOidc } from './oidc.ts';
export { createPasswords, type PasswordCost } from './passwords.ts';
export { makeSetupAddress } from './set-up.ts';
