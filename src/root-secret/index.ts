export { openSecrets, type RootSecret } from './open-secrets.ts';
