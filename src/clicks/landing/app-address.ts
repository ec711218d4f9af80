import type { Platform } from '../../devices/index.ts';
import { CLICK_ID_PARAMETER, type ResolvedLink, storeOnWeb } from '../../links/index.ts';

/**
 * The address that opens the app itself, with the link's path and the click: `shop://products/42?svc_click_id=…`, on
 * Android as an `intent:` (developer.chrome.com/docs/android/intents) that leads on where the app is not installed. Null
 * where the app has no scheme, and where no app can be.
 * @param destination where Android goes without the app.
 */
export function appAddress(
  { deepLinkPath, app }: Pick<ResolvedLink, 'deepLinkPath' | 'app'>,
  {
    platform,
    clickId,
    destination,
  }: { platform: Platform | null; clickId: string | null; destination: string | null },
): string | null {
  if (app.urlScheme === null || platform === null) return null;
  const screen = screenOf(deepLinkPath, clickId);
  if (platform === 'IOS') return `${app.urlScheme}://${screen}`;
  const extras = [
    `scheme=${app.urlScheme}`,
    ...(app.androidPackage === null ? [] : [`package=${app.androidPackage}`]),
    ...(destination === null
      ? []
      : // Given another than http(s), Chrome opens Play by itself, and the referrer with the click is lost.
        [`S.browser_fallback_url=${encodeURIComponent(storeOnWeb(destination))}`]),
  ];
  return `intent://${screen}#Intent;${extras.join(';')};end`;
}

/**
 * The path and its own parameters, with the click after them. What could end it, or begin an intent's part, is encoded;
 * what is encoded already stays as it is.
 */
function screenOf(deepLinkPath: string, clickId: string | null): string {
  const path = encodeURI(deepLinkPath.toWellFormed().replace(/^\/+/, ''))
    .replaceAll(/%25(?=[0-9A-Fa-f]{2})/g, '%')
    .replaceAll('#', '%23')
    .replaceAll(';', '%3B')
    // Its first part stands where addresses have a host: with a port that is none, browsers refuse the whole.
    .replace(/^[^/?]+/, (first) => first.replaceAll(':', '%3A').replaceAll('@', '%40'));
  if (clickId === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${CLICK_ID_PARAMETER}=${clickId}`;
}
