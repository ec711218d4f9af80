import type { Role } from '../../api/session.ts';

export const ROLES: readonly (readonly [Role, string])[] = [
  ['viewer', 'Viewer: sees everything but keys and the team'],
  ['editor', 'Editor: also changes links and webhooks'],
  ['owner', 'Owner: also the app, keys and the team'],
];
