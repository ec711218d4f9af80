import { isPlay } from '../../links/index.ts';
import type { Checks, FindingText, Subject } from '../check.ts';

/** Whether an install can be matched to its click. */
export const MATCHING_CHECKS = {
  'matching.ios_impossible': ['error', nothingMatchesIos],
  'matching.android_impossible': ['error', nothingMatchesAndroid],
  'matching.ios_without_page': ['warning', iosWithoutPage],
  'matching.android_without_page': ['warning', androidWithoutPage],
  'matching.token_without_page': ['warning', tokenWithoutPage],
} as const satisfies Checks;

/** The App Store passes nothing to the app, so only the fingerprint or a copied token can match. */
function nothingMatchesIos(subject: Subject): FindingText | null {
  if (!leadsToAppStore(subject) || subject.app.fingerprint_ios === 1) return null;
  const { answer } = subject.visitors.iosSafari;
  if (answer === 'page' && subject.link.app.clipboardToken) return null;
  const response = answer === 'page' ? 'the landing page' : 'the redirect';
  return {
    message: `Installs on iOS cannot be matched: ${response} to the App Store passes nothing to the app, and fingerprintIos is off.`,
    mend: 'Set fingerprintIos of the app to true, or clipboardToken together with a landingPage other than never.',
  };
}

function nothingMatchesAndroid(subject: Subject): FindingText | null {
  if (!leadsOutsidePlay(subject) || subject.app.fingerprint_android === 1) return null;
  return {
    message:
      'Installs on Android cannot be matched: outside of Google Play nothing is passed to the app, and fingerprintAndroid is off.',
    mend: 'Set fingerprintAndroid of the app to true, or androidDestination to the app’s Google Play address.',
  };
}

function iosWithoutPage(subject: Subject): FindingText | null {
  if (!leadsToAppStore(subject) || subject.app.fingerprint_ios === 0) return null;
  if (subject.visitors.iosSafari.reason !== 'setting_never') return null;
  return {
    message:
      'landingPage is never, so installs on iOS are matched by IP address, OS version and language only. Behind a shared address few match.',
    mend: 'Set landingPage to auto: the page also collects screen size and time zone.',
  };
}

function androidWithoutPage(subject: Subject): FindingText | null {
  if (!leadsOutsidePlay(subject) || subject.app.fingerprint_android === 0) return null;
  if (subject.visitors.androidChrome.reason !== 'setting_never') return null;
  return {
    message:
      'landingPage is never and androidDestination is not in Google Play, so installs on Android are matched by IP address and language only. Few match.',
    mend: 'Set landingPage to auto: the page also collects model, screen size and time zone.',
  };
}

function tokenWithoutPage({ link, visitors }: Subject): FindingText | null {
  if (!link.app.clipboardToken || link.iosDestination === null) return null;
  if (visitors.iosSafari.reason !== 'setting_never') return null;
  return {
    message: 'clipboardToken is on, but landingPage is never: no page offers to copy the token.',
    mend: 'Set landingPage to auto, or clipboardToken of the app to false.',
  };
}

/** False for an expired link. */
function leadsToAppStore({ link, visitors }: Subject): boolean {
  return link.iosDestination !== null && visitors.iosSafari.reason !== 'expired';
}

function leadsOutsidePlay({ link, visitors }: Subject): boolean {
  if (link.androidDestination === null || visitors.androidChrome.reason === 'expired') return false;
  return !isPlay(new URL(link.androidDestination));
}
