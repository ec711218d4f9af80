import { LRUCache } from 'lru-cache';
import type { Platform } from '../devices/index.ts';
import type { ResolvedLink } from './link.ts';

/** The parameter of the Play referrer that carries the click. */
export const CLICK_ID_PARAMETER = 'svc_click_id';

/**
 * Where a visitor goes: the platform's own destination, else the fallback; null when the link has neither.
 * @param clickId goes into the referrer of a Play address, whence the installed app reads it; null leaves it out.
 */
export function chooseDestination(
  link: ResolvedLink,
  platform: Platform | null,
  clickId: string | null,
): string | null {
  if (platform === 'ANDROID' && link.androidDestination !== null)
    return toPlay(link.androidDestination, clickId);
  if (platform === 'IOS' && link.iosDestination !== null) return toHref(link.iosDestination);
  return link.fallbackUrl === null ? null : toHref(link.fallbackUrl);
}

const MAX_REMEMBERED_CHARACTERS = 16 * 1024 * 1024;
/** Addresses recur with every tap on a link, so what was worked out about one is kept: for tens of thousands of links. */
const hrefs = new LRUCache<string, string>({
  maxSize: MAX_REMEMBERED_CHARACTERS,
  sizeCalculation: (href, address) => href.length + address.length,
});
const playTemplates = new LRUCache<string, PlayTemplate | 'not Play'>({
  maxSize: MAX_REMEMBERED_CHARACTERS,
  sizeCalculation: (template, address) => {
    if (template === 'not Play') return address.length;
    const { bare, before, after } = template;
    return address.length + bare.length + before.length + after.length;
  },
});

/** A Play address without a click ID, and the same one cut where the click ID goes. */
interface PlayTemplate {
  readonly bare: string;
  readonly before: string;
  readonly after: string;
}

/** The address in the ASCII form that a header can carry. */
function toHref(address: string): string {
  const known = hrefs.get(address);
  if (known !== undefined) return known;
  const { href } = new URL(address);
  hrefs.set(address, href);
  return href;
}

function toPlay(address: string, clickId: string | null): string {
  let template = playTemplates.get(address);
  if (template === undefined) {
    template = playTemplate(address);
    playTemplates.set(address, template);
  }
  if (template === 'not Play') return toHref(address);
  return clickId === null ? template.bare : template.before + clickId + template.after;
}

const PLACE = 'CLICK-ID-GOES-HERE';

/**
 * A referrer that is there already is kept, and ours appended inside it; an earlier click's, as in an address that was
 * copied out of a browser, goes.
 */
function playTemplate(address: string): PlayTemplate | 'not Play' {
  const url = new URL(address);
  if (!isPlay(url)) return 'not Play';
  const present = (url.searchParams.get('referrer') ?? '').split('&').filter((part) => part !== '');
  const kept = present.filter((part) => part.split(/[=%]/, 1)[0] !== CLICK_ID_PARAMETER);
  const bare = kept.length === present.length ? url.href : withReferrer(url, kept);
  const whole = withReferrer(url, [...kept, `${CLICK_ID_PARAMETER}=${PLACE}`]);
  // The address may hold the same words itself, before its query.
  const place = whole.lastIndexOf(PLACE);
  return { bare, before: whole.slice(0, place), after: whole.slice(place + PLACE.length) };
}

function withReferrer(address: URL, parts: readonly string[]): string {
  const url = new URL(address);
  if (parts.length === 0) url.searchParams.delete('referrer');
  else url.searchParams.set('referrer', parts.join('&'));
  return url.href;
}

/** Whether an address is an app's in Google Play, which hands its referrer to the app. */
export function isPlay(url: URL): boolean {
  if (url.protocol === 'market:') return true;
  return url.hostname === 'play.google.com' && url.pathname.startsWith('/store/apps/details');
}
