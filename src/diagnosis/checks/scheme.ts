import type { Checks, Subject, Words } from '../check.ts';
import { hasAndroidAssociation, hasIosAssociation } from './association.ts';

/** Whether the landing page can open the app by a scheme of its own. */
export const SCHEME_CHECKS = {
  'scheme.missing': ['info', missing],
} as const satisfies Checks;

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
