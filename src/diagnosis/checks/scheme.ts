import type { Checks, FindingText, Subject } from '../check.ts';
import { hasAndroidAssociation, hasIosAssociation } from './association.ts';

/** Whether the landing page can open the app by its URL scheme. */
export const SCHEME_CHECKS = {
  'scheme.missing': ['info', missing],
} as const satisfies Checks;

/** With an association, a tap opens the app before any page. */
function missing(subject: Subject): FindingText | null {
  if (subject.app.url_scheme !== null) return null;
  const { link, visitors } = subject;
  const isPageOnly =
    (visitors.iosSafari.answer === 'page' && link.iosDestination !== null && !hasIosAssociation(subject)) ||
    (visitors.inAppBrowser.answer === 'page' &&
      link.androidDestination !== null &&
      !hasAndroidAssociation(subject));
  if (!isPageOnly) return null;
  return {
    message:
      'The landing page leads to the store even if the app is installed: the app has no association with the host, and no urlScheme.',
    mend: 'Correct the association first. If that is not possible, set urlScheme of the app.',
  };
}
