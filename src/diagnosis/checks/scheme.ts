import type { Checks, Subject, Words } from '../check.ts';
import { hasAndroidAssociation, hasIosAssociation } from './association.ts';

/** Whether the landing page can open the app by a scheme of its own. */
export const SCHEME_CHECKS = {
  'scheme.well_known': ['error', wellKnown],
  'scheme.missing': ['info', missing],
} as const satisfies Checks;

/** Those of browsers and of the systems. Another app's cannot be told: nobody gives schemes out. */
const WELL_KNOWN = new Set([
  ...['http', 'https', 'ftp', 'ws', 'wss', 'file', 'about', 'blob', 'data', 'javascript', 'vbscript'],
  ...['content', 'intent', 'android-app', 'view-source', 'chrome', 'googlechrome', 'market'],
  ...['itms', 'itms-apps', 'itms-services', 'app-settings', 'prefs', 'shortcuts', 'x-safari-https'],
  ...['mailto', 'tel', 'sms', 'facetime', 'geo', 'maps', 'webcal'],
]);

function wellKnown({ app: { url_scheme: scheme } }: Subject): Words | null {
  if (scheme === null || !WELL_KNOWN.has(scheme.toLowerCase())) return null;
  return {
    message: `The app’s urlScheme is ${scheme}, which belongs to browsers or to the phone’s system and opens no app of yours.`,
    mend: 'Set urlScheme to one of the app’s own, best with its name in it.',
  };
}

/** Where phones know that app and host belong together, a tap opens the app before any page. */
function missing(subject: Subject): Words | null {
  if (subject.app.url_scheme !== null) return null;
  const { link, visitors } = subject;
  const isStuck =
    (visitors.iosSafari.answer === 'page' && link.iosDestination !== null && !hasIosAssociation(subject)) ||
    (visitors.inAppBrowser.answer === 'page' &&
      link.androidDestination !== null &&
      !hasAndroidAssociation(subject));
  if (!isStuck) return null;
  return {
    message:
      'The landing page leads to the store also where the app is installed: phones do not know that the host is the app’s, and there is no urlScheme to try.',
    mend: 'Mend the association first. Where that cannot be done, set urlScheme of the app.',
  };
}
