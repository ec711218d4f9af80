import type { AuditActor } from '@generated/types.gen.ts';

/** By their types, which are also their ids where they have none. */
export const AUTHORS: Readonly<Record<string, string>> = {
  admin: 'The admin token',
  command_line: 'The command line',
  first_start: 'The first start',
  service: 'The service',
};

/** Who made the change of an entry, as people call them. */
export function authorOf({ type, name, email }: AuditActor): string {
  if (type === 'key') return name === null ? 'A key' : `The key ${name}`;
  if (type !== 'user') return AUTHORS[type] ?? type;
  if (name !== null) return name;
  return email === null ? 'A removed user' : `${email} (removed)`;
}
