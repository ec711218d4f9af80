export { dropExpiredAccess } from './drop-expired.ts';
export { createOidc } from './oidc.ts';
export { createPasswords } from './passwords.ts';
export { makeSetupAddress } from './set-up.ts';
