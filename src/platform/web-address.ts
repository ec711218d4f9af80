import { AppError } from './errors.ts';

const MAX_CHARACTERS = 2_048;
const WEB = new Set(['http:', 'https:']);
/** What opens a store's own app. */
const STORE = new Set([...WEB, 'market:', 'itms-apps:']);

/** Where a link sends its visitors; apps have the same three as defaults for their links. */
export interface Destinations {
  readonly iosDestination?: string | null;
  readonly androidDestination?: string | null;
  readonly fallbackUrl?: string | null;
}

/** @throws AppError that names the field whose address a browser should not be sent to. */
export function checkDestinations(input: Destinations): void {
  check('iosDestination', input.iosDestination, STORE, 'an http(s), market: or itms-apps:');
  check('androidDestination', input.androidDestination, STORE, 'an http(s), market: or itms-apps:');
  check('fallbackUrl', input.fallbackUrl, WEB, 'an http(s)');
}

/** @throws AppError that names the field whose address is none of the web. */
export function checkWebAddress(field: string, address: string | null | undefined): void {
  check(field, address, WEB, 'an http(s)');
}

function check(field: string, address: string | null | undefined, schemes: Set<string>, form: string): void {
  if (address === null || address === undefined || hasScheme(address, schemes)) return;
  throw new AppError('request.invalid', {
    message: `${field} must be ${form} address of at most 2,048 characters, without spaces.`,
  });
}

function hasScheme(text: string, schemes: Set<string>): boolean {
  if ([...text].length > MAX_CHARACTERS || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return schemes.has(url.protocol) && (!WEB.has(url.protocol) || url.hostname !== '');
}
