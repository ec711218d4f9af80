import type { UsersTable } from '../db/index.ts';
import { DAY_MS } from '../lib/clock.ts';

export type UserRow = UsersTable;

/** Invitations, and addresses of the set-up. */
export const TOKEN_MS = 7 * DAY_MS;

/**
 * What browsers accept in a field for an email (https://html.spec.whatwg.org/#valid-e-mail-address): ASCII alone. A domain
 * with other letters has this form too (`xn--…`), and so one spelling.
 */
export const EMAIL_PATTERN = "^[\\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63})*$";
export const MAX_EMAIL_CHARACTERS = 254;
const EMAIL = new RegExp(EMAIL_PATTERN);

/** Addresses are stored and compared in lower case, ASCII letters only: `toLowerCase` makes a k of the Kelvin sign. */
export function normaliseEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** The normalised address; null for what no account can have. */
export function toEmail(text: string): string | null {
  return text.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(text) ? normaliseEmail(text) : null;
}
