const AUTHORS: Readonly<Record<string, string>> = {
  key: 'a key',
  admin: 'the operator',
  user: 'a user',
  first_start: 'the first start',
};

/** Who made the change of an entry of the audit log, from its details. */
export function authorOf({ userEmail, email, changedBy }: Readonly<Record<string, unknown>>): string {
  if (typeof userEmail === 'string') return userEmail;
  if (typeof email === 'string') return email;
  return typeof changedBy === 'string' ? (AUTHORS[changedBy] ?? changedBy) : '';
}
