export { inspectSecret, openSecrets, type RootSecret } from './open-secrets.ts';
