/** What the roles of an app may do, in words. `docs/guide/accounts.md` has the same table. */
import type { Role } from '../../api/session.ts';

interface RoleWords {
  readonly role: Role;
  readonly name: string;
  /** With its article. */
  readonly one: string;
  readonly may: string;
  /** What the role may and those before it may not; each continues “may”. */
  readonly adds: readonly string[];
}

/** From the lowest up; each includes those before. */
export const ROLES: readonly RoleWords[] = [
  {
    role: 'viewer',
    name: 'Viewer',
    one: 'a viewer',
    may: 'Sees and exports all numbers and records. Changes nothing, and sees no keys and no team.',
    adds: [],
  },
  {
    role: 'editor',
    name: 'Editor',
    one: 'an editor',
    may: 'Sees all numbers and records, changes links, costs and webhooks, and exports and erases a person’s data for good.',
    adds: [
      'make, change and delete links and webhooks',
      'add and delete costs',
      'send deliveries again',
      'export a person’s data, and erase it for good',
    ],
  },
  {
    role: 'owner',
    name: 'Owner',
    one: 'an owner',
    may: 'May do everything: also change the app, its keys and its team, and delete installs.',
    adds: [
      'change the settings of the app',
      'make and revoke keys',
      'invite members, change their roles and remove them',
      'delete installs',
    ],
  },
];

export function wordsOf(role: Role): RoleWords {
  const words = ROLES.find((each) => each.role === role);
  if (words === undefined) throw new TypeError(`no role is called ${role}`);
  return words;
}

/** What changes with another role. */
export function differenceOf(from: Role, to: Role): { gains: readonly string[]; losses: readonly string[] } {
  const rank = (role: Role) => ROLES.findIndex((each) => each.role === role);
  const between = (low: number, high: number) =>
    ROLES.slice(low + 1, Math.max(high, low) + 1).flatMap(({ adds }) => adds);
  return { gains: between(rank(from), rank(to)), losses: between(rank(to), rank(from)) };
}
