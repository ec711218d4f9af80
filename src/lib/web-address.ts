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
  if ([...text].length > MAX_CHARACTERS || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return schemes.includes(protocol) && (!WEB_SCHEMES.includes(protocol) || hostname !== '');
}
