import { AppError } from '../errors.ts';

const MAX_CHARACTERS = 2_048;
const LIST = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const WEB_SCHEMES: readonly string[] = ['http:', 'https:'];

/** @throws AppError `request.invalid` unless `address` has the scheme http, https or one of `otherSchemes`. */
export function checkWebAddress(
  field: string,
  address: string | null | undefined,
  otherSchemes: readonly string[] = [],
): void {
  if (address === null || address === undefined || isAddress(address, [...WEB_SCHEMES, ...otherSchemes]))
    return;
  throw new AppError('request.invalid', {
    message: `${field} must be an ${LIST.format(['http(s)', ...otherSchemes])} address of at most 2,048 characters, without spaces.`,
  });
}

function isAddress(text: string, schemes: readonly string[]): boolean {
  // Counting characters takes longer than the rest.
  if (text.length > MAX_CHARACTERS && [...text].length > MAX_CHARACTERS) return false;
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
  if (url === null) return false;
  const { protocol, hostname } = url;
  return schemes.includes(protocol) && (!WEB_SCHEMES.includes(protocol) || hostname !== '');
}
