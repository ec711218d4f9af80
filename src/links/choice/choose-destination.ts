import { LRUCache } from 'lru-cache';
import type { Platform } from '../../devices/index.ts';
import { addParametersTo, type Parameter } from './passed-parameters.ts';
import { appendRestTo } from './path-rest.ts';
import type { RoutedLink } from './route-link.ts';
import { isPlay, isStore } from './store-address.ts';

/** Parameter of the Play referrer that carries the click ID. */
export const CLICK_ID_PARAMETER = 'svc_click_id';

/**
 * Chooses the destination of the platform, else the fallback; null without either.
 * @param clickId added to the referrer of a Play URL, where the installed app reads it; null for unrecorded clicks.
 */
export function chooseDestination(
  link: RoutedLink,
  platform: Platform | null,
  clickId: string | null,
): string | null {
  const { iosDestination, androidDestination, passed = [] } = link;
  if (platform === 'ANDROID' && androidDestination !== null) {
    const { href, referrer } = androidUrls.memo(androidDestination);
    if (referrer === null) return withPassed(href, passed);
    return clickId === null ? href : referrer.before + clickId + referrer.after;
  }
  if (platform === 'IOS' && iosDestination !== null) return withPassed(hrefs.memo(iosDestination), passed);
  return fallbackOf(link);
}

/** The rest of the address belongs to `fallbackUrl` alone: the pages below another one are not those of the link. */
function fallbackOf({ fallbackUrl, passed = [], rest = '' }: RoutedLink): string | null {
  if (fallbackUrl === null) return null;
  return withPassed(hrefs.memo(fallbackUrl), passed, rest);
}

/** With what the tap carries on: not in a cache, since visitors choose it. A store's page gets no parameters. */
function withPassed(href: string, passed: readonly Parameter[], rest = ''): string {
  if (passed.length === 0 && rest === '') return href;
  const url = new URL(href);
  appendRestTo(url, rest);
  if (!isStore(url)) addParametersTo(url, passed);
  return url.href;
}

/** Where an expired link leads; null for an error page. The rest of the address counts for `fallbackUrl` alone. */
export function destinationOfExpired(link: RoutedLink): string | null {
  if (link.goneWhenExpired) return null;
  const { expiredUrl } = link;
  return expiredUrl === null ? fallbackOf(link) : fallbackOf({ ...link, fallbackUrl: expiredUrl, rest: '' });
}

/** A URL in ASCII form. */
interface AndroidUrl {
  /** Without a click ID. */
  readonly href: string;
  /** The parts around the click ID; null unless the URL is on Play. */
  readonly referrer: { readonly before: string; readonly after: string } | null;
}

/** Enough for the URLs of tens of thousands of links. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

const hrefs = new LRUCache<string, string>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: (href, url) => href.length + url.length,
  memoMethod: (url) => new URL(url).href,
});
const androidUrls = new LRUCache<string, AndroidUrl>({
  maxSize: MAX_CACHED_CHARACTERS,
  sizeCalculation: ({ href, referrer }, url) =>
    url.length + href.length + (referrer === null ? 0 : referrer.before.length + referrer.after.length),
  memoMethod: toAndroidUrl,
});

const PLACEHOLDER = 'CLICK-ID-GOES-HERE';

/** Keeps the link's own referrer parameters and appends ours; drops a click ID that was copied with the URL. */
function toAndroidUrl(text: string): AndroidUrl {
  const url = new URL(text);
  if (!isPlay(url)) return { href: url.href, referrer: null };
  const parameters = (url.searchParams.get('referrer') ?? '').split('&').filter((part) => part !== '');
  const kept = parameters.filter((part) => part.split(/[=%]/, 1)[0] !== CLICK_ID_PARAMETER);
  const href = kept.length === parameters.length ? url.href : withReferrer(url, kept);
  const template = withReferrer(url, [...kept, `${CLICK_ID_PARAMETER}=${PLACEHOLDER}`]);
  // The last one, since the link may contain the same text.
  const start = template.lastIndexOf(PLACEHOLDER);
  return {
    href,
    referrer: { before: template.slice(0, start), after: template.slice(start + PLACEHOLDER.length) },
  };
}

function withReferrer(address: URL, parameters: readonly string[]): string {
  const url = new URL(address);
  if (parameters.length === 0) url.searchParams.delete('referrer');
  else url.searchParams.set('referrer', parameters.join('&'));
  return url.href;
}
