import { checkWebAddress } from '../lib/web-address.ts';

/** Schemes of the store apps. */
const STORE_SCHEMES = ['market:', 'itms-apps:'];

/** Destinations of a link; an app has the same fields as defaults for its links. */
export interface Destinations {
  readonly iosDestination?: string | null;
  readonly androidDestination?: string | null;
  readonly fallbackUrl?: string | null;
}

/** @throws AppError `request.invalid` that names the field with an invalid address. */
export function checkDestinations(input: Destinations): void {
  checkWebAddress('iosDestination', input.iosDestination, STORE_SCHEMES);
  checkWebAddress('androidDestination', input.androidDestination, STORE_SCHEMES);
  checkWebAddress('fallbackUrl', input.fallbackUrl);
}
