import { makeSecret, type Secrets } from '../lib/secrets.ts';
import type { UserRow } from './account.ts';

type Account = Pick<UserRow, 'id' | 'password_hash'>;

/** For a cookie: that this browser has signed in to the account, with its present password. */
export function makeKnownBrowser(secrets: Secrets, account: Account): string {
  const browserId = makeSecret();
  return `${browserId}.${secrets.sign(textOf(account, browserId))}`;
}

/** The id of a browser that has signed in to the account; null for another one. */
export function knownBrowserId(secrets: Secrets, account: Account, cookie: string | null): string | null {
  const [browserId = '', signature = ''] = (cookie ?? '').split('.');
  return secrets.isSigned(textOf(account, browserId), signature) ? browserId : null;
}

/** With the hash of the password, so that a new one makes strangers of all other browsers. */
function textOf({ id, password_hash: hash }: Account, browserId: string): string {
  return `known browser ${browserId} of ${id} ${hash}`;
}
