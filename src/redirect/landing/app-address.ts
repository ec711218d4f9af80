import type { Platform } from '../../devices/index.ts';
import { CLICK_ID_PARAMETER, isReserved, type ResolvedLink, storeOnWeb } from '../../links/index.ts';

/**
 * The address that opens the app with the link's path and the click ID: `shop://products/42?svc_click_id=…`, on Android an
 * `intent:` (developer.chrome.com/docs/android/intents) with `destination` as fallback.
 * @returns null without a URL scheme or a mobile platform.
 */
export function appAddress(
  { deepLinkPath, app }: ResolvedLink,
  {
    platform,
    clickId,
    destination,
  }: { platform: Platform | null; clickId: string | null; destination: string },
): string | null {
  if (app.urlScheme === null || platform === null) return null;
  const screen = screenOf(deepLinkPath, clickId);
  if (platform === 'IOS') return `${app.urlScheme}://${screen}`;
  const appPackage = app.androidPackage === null ? '' : `package=${app.androidPackage};`;
  // For a fallback that is not http(s), Chrome opens Play without the referrer that carries the click ID.
  const fallback = encodeURIComponent(storeOnWeb(destination));
  return `intent://${screen}#Intent;scheme=${app.urlScheme};${appPackage}S.browser_fallback_url=${fallback};end`;
}

/** Path and parameters, without names of the service's own, then the click ID. Escapes `#` and `;`, which delimit an intent; keeps existing escapes. */
function screenOf(deepLinkPath: string, clickId: string | null): string {
  const escaped = encodeURI(deepLinkPath.toWellFormed().replace(/^\/+/, ''))
    .replaceAll(/%25(?=[0-9A-Fa-f]{2})/g, '%')
    .replaceAll('#', '%23')
    .replaceAll(';', '%3B')
    // The first part is in the host's position: browsers reject an address with an invalid port.
    .replace(/^[^/?]+/, (first) => first.replaceAll(':', '%3A').replaceAll('@', '%40'));
  const path = withoutReserved(escaped);
  if (clickId === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${CLICK_ID_PARAMETER}=${clickId}`;
}

/** People may write links: the app must not take a click ID of theirs for that of the tap. */
function withoutReserved(path: string): string {
  const start = path.indexOf('?');
  if (start === -1) return path;
  const isOwn = (pair: string) => [...new URLSearchParams(pair).keys()].some(isReserved);
  const kept = path
    .slice(start + 1)
    .split('&')
    .filter((pair) => !isOwn(pair));
  return kept.length === 0 ? path.slice(0, start) : `${path.slice(0, start)}?${kept.join('&')}`;
}
