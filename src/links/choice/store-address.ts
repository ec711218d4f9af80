const GOOGLE_PLAY = 'https://play.google.com/store';
const APP_STORE_HOSTS = ['apps.apple.com', 'itunes.apple.com', 'geo.itunes.apple.com'];
const TEST_FLIGHT_HOST = 'testflight.apple.com';

/** Whether a URL opens a store, where parameters of a tap mean nothing. */
export function isStore(url: URL): boolean {
  return isAppStore(url) || isTestFlight(url) || isPlay(url) || url.hostname === 'play.google.com';
}

export function isAppStore({ protocol, hostname }: URL): boolean {
  return protocol === 'itms-apps:' || APP_STORE_HOSTS.includes(hostname);
}

/** Installs from TestFlight are attributed like those from the store; its addresses contain no id. */
export function isTestFlight({ hostname }: URL): boolean {
  return hostname === TEST_FLIGHT_HOST;
}

/** Whether a URL is an app's page on Google Play, which passes the referrer to the installed app. */
export function isPlay(url: URL): boolean {
  if (url.protocol === 'market:') return true;
  return url.hostname === 'play.google.com' && url.pathname.startsWith('/store/apps/details');
}

/** Converts `market:` and `itms-apps:` URLs, which only phones open, to https; returns others unchanged. */
export function storeOnWeb(destination: string): string {
  const { protocol, host, pathname, search } = new URL(destination);
  if (protocol === 'itms-apps:' && host !== '') return `https://${host}${pathname}${search}`;
  if (protocol !== 'market:') return destination;
  const page = host || pathname;
  if (page === 'details') return `${GOOGLE_PLAY}/apps/details${search}`;
  return page === 'search' ? `${GOOGLE_PLAY}/search${search}` : destination;
}
