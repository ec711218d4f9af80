import { isAppStore, isPlay, storeOnWeb } from '../../links/index.ts';

/** Parameters that name a click or a campaign, and do not change what a page shows. */
const TRACKING =
  /^(?:utm_\w+|svc_click_id|gclid|gbraid|wbraid|gad_\w+|dclid|gclsrc|srsltid|_g[al]|fbclid|igshid|msclkid|ttclid|twclid|li_fat_id|epik|sccid|rdt_cid|yclid|mc_[ce]id|_hs\w+|_branch_\w+|dub_id|_kx)$/i;

/**
 * An address without what makes no difference to the visitor: click IDs, tracking parameters, the order of parameters, a
 * trailing slash, the spelling of a store's address. Equal texts lead to the same place.
 */
export function comparable(address: string): string {
  if (!URL.canParse(address)) return address;
  return appOf(address) ?? withoutTracking(new URL(address));
}

/** The app of a store's address, with the store page that it asks for; null for any other address. */
export function appOf(address: string): string | null {
  const intent = /^intent:.*[;#]package=([\w.]+)/.exec(address)?.[1];
  if (intent !== undefined) return `play:${intent}`;
  const url = URL.canParse(address)
    ? new URL(storeOnWeb(address.replace(/^itms-appss:/, 'itms-apps:')))
    : null;
  if (url === null) return null;
  if (isPlay(url)) return app('play', url.searchParams.get('id'), url.searchParams.get('listing'));
  if (!isAppStore(url)) return null;
  return app('app-store', /\/id(\d+)/.exec(url.pathname)?.[1] ?? null, url.searchParams.get('ppid'));
}

/** The values of the `utm_` parameters, which people compare in their own statistics. */
export function utmOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const kept = [...new URL(address).searchParams].filter(([name]) => name.startsWith('utm_'));
  return kept
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
}

function app(store: string, id: string | null, page: string | null): string | null {
  if (id === null) return null;
  return page === null ? `${store}:${id}` : `${store}:${id}/${page}`;
}

function withoutTracking(url: URL): string {
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  const query = kept
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const place = `${url.protocol}//${url.host}${decoded(url.pathname).replace(/\/+$/, '')}`;
  return `${place}${query === '' ? '' : `?${query}`}${url.hash}`;
}

/** `%7E` and `~` are the same; what no text encodes stays as it is. */
function decoded(path: string): string {
  try {
    return encodeURI(decodeURI(path));
  } catch {
    return path;
  }
}
