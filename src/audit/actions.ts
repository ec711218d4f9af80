/** What the audit log records. */

/** Changes by owners and operators, and of people's data: rare, and never deleted. */
const KEPT = [
  'app.created',
  'app.updated',
  'key.created',
  'key.updated',
  'key.rotated',
  'key.revoked',
  'user.invited',
  'invitation.revoked',
  'user.joined',
  'user.role_changed',
  'user.removed',
  'privacy.erasure_counted',
  'privacy.erasure_requested',
  'privacy.erased',
  'privacy.exported',
] as const;

/** What a secret key or an editor does: as frequent as the rate limits allow, and deleted by age. */
export const KEY_ACTIONS = [
  'conversion_values.updated',
  'cost.deleted',
  'costs.updated',
  'destination.created',
  'destination.deleted',
  'destination.recovered',
  'destination.redelivered',
  'destination.tested',
  'destination.updated',
  'import.ended',
  'installs.deleted',
  'link.created',
  'link.deleted',
  'link.updated',
  'links.imported',
  'records.exported',
  'webhook.created',
  'webhook.deleted',
  'webhook.recovered',
  'webhook.redelivered',
  'webhook.tested',
  'webhook.updated',
] as const;

/** Messages whose attempts all failed. */
const FAILURES = ['destination.delivery_failed', 'webhook.delivery_failed'] as const;

export const ACTIONS = [...KEPT, ...KEY_ACTIONS, ...FAILURES] as const;
export type Action = (typeof ACTIONS)[number];

/** Of accounts and of the service, which belong to no app. */
export const SERVICE_ACTIONS = [
  'app.created',
  'operator.marked',
  'operator.unmarked',
  'password.changed',
  'password_reset.address_made',
  'password_reset.used',
  'retention.clock_confirmed',
  'session.revoked',
  'setup.address_made',
  'setup.used',
  'user.deleted',
  'user.disabled',
  'user.enabled',
  'user.signed_in',
] as const;
export type ServiceAction = (typeof SERVICE_ACTIONS)[number];

/** About keys and users, which owners alone see. */
const OF_OWNERS = /^(?:key|user|invitation)\./;

/** What a member without the role `owner` sees of some actions; null for all. */
export function withoutOwners(actions: readonly string[] | null): string[] {
  return (actions ?? ACTIONS).filter((action) => !OF_OWNERS.test(action));
}

/** The actions that a filter names: whole, or by their first word, several with commas between. */
export function actionsNamed<T extends string>(actions: readonly T[], filter: string): T[] {
  const names = filter.split(',').map((name) => name.trim().replace(/\.\*?$/, ''));
  return actions.filter((action) => names.some((name) => action === name || action.startsWith(`${name}.`)));
}

export const RESOURCE_TYPES = [
  ...([
    'app',
    'conversion_values',
    'costs',
    'destination',
    'import',
    'installs',
    'invitation',
    'key',
    'link',
    'person',
  ] as const),
  ...(['records', 'service', 'user', 'webhook'] as const),
] as const;
type ResourceType = (typeof RESOURCE_TYPES)[number];

const RESOURCES: Readonly<Record<string, ResourceType>> = {
  cost: 'costs',
  links: 'import',
  operator: 'user',
  password: 'user',
  password_reset: 'user',
  privacy: 'person',
  retention: 'service',
  session: 'user',
  setup: 'user',
};

/** What an action is about. */
export function resourceTypeOf(action: string): ResourceType {
  if (action === 'user.invited') return 'invitation';
  const [first = ''] = action.split('.', 1);
  return RESOURCES[first] ?? (first as ResourceType);
}
