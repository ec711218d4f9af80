import { AppError } from '../platform/errors.ts';

/** Those of browsers and of the systems: what follows is run there, or opens another app. */
const TAKEN = new Set([
  ...['http', 'https', 'ftp', 'ws', 'wss', 'file', 'filesystem', 'about', 'blob', 'data', 'javascript'],
  ...['vbscript', 'content', 'intent', 'android-app', 'view-source', 'chrome', 'googlechrome', 'market'],
  ...['itms', 'itms-apps', 'itms-services', 'app-settings', 'prefs', 'shortcuts', 'x-safari-https'],
  ...['mailto', 'tel', 'sms', 'facetime', 'geo', 'maps', 'webcal'],
]);

/** @throws AppError for a scheme that cannot be an app's own. Another app's cannot be told: nobody gives schemes out. */
export function checkUrlScheme(scheme: string | null | undefined): void {
  if (!TAKEN.has((scheme ?? '').toLowerCase())) return;
  throw new AppError('request.invalid', {
    message: `urlScheme must be the app’s own, such as shop: ${scheme} is a browser’s or the system’s.`,
  });
}
