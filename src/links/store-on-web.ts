const GOOGLE_PLAY = 'https://play.google.com/store';

/**
 * Where a browser without the store's own app finds what a store's address names: a computer opens neither `market:` nor
 * `itms-apps:`. An address of the web stays as it is.
 */
export function storeOnWeb(destination: string): string {
  const { protocol, host, pathname, search } = new URL(destination);
  if (protocol === 'itms-apps:' && host !== '') return `https://${host}${pathname}${search}`;
  if (protocol !== 'market:') return destination;
  const place = host || pathname;
  if (place === 'details') return `${GOOGLE_PLAY}/apps/details${search}`;
  return place === 'search' ? `${GOOGLE_PLAY}/search${search}` : destination;
}
