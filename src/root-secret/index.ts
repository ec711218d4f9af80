export { inspectSecret, openSecrets, type RootSecret } from './open-secrets.ts';
export { findMark } from './queries.ts';
