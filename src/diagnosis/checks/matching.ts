import { isPlay } from '../../links/index.ts';
import type { Checks, Subject, Words } from '../check.ts';

/** Whether an install can find its click. */
export const MATCHING_CHECKS = {
  'matching.ios_impossible': ['error', nothingMatchesIos],
  'matching.android_impossible': ['error', nothingMatchesAndroid],
  'matching.ios_without_page': ['warning', iosWithoutPage],
  'matching.android_without_page': ['warning', androidWithoutPage],
  'matching.token_without_page': ['warning', tokenWithoutPage],
} as const satisfies Checks;

/** The App Store tells an app nothing of the click: what is left is the fingerprint, or a token that a page offers to copy. */
function nothingMatchesIos(subject: Subject): Words | null {
  if (!leadsToAppStore(subject) || subject.app.fingerprint_ios === 1) return null;
  const { answer } = subject.visitors.iosSafari;
  if (answer === 'page' && subject.link.app.clipboardToken) return null;
  const way = answer === 'page' ? 'The landing page' : 'The redirect';
  return {
    message: `No install on iOS finds its click. ${way} to the App Store hands nothing to the app, and fingerprintIos is off.`,
    mend: 'Set fingerprintIos of the app to true, or clipboardToken together with a landingPage other than never.',
  };
}

function nothingMatchesAndroid(subject: Subject): Words | null {
  if (!leadsPastPlay(subject) || subject.app.fingerprint_android === 1) return null;
  return {
    message:
      'No install on Android finds its click: outside Play nothing is handed to the app, and fingerprintAndroid is off.',
    mend: 'Set fingerprintAndroid of the app to true, or androidDestination to the app’s Play address.',
  };
}

function iosWithoutPage(subject: Subject): Words | null {
  if (!leadsToAppStore(subject) || subject.app.fingerprint_ios === 0) return null;
  if (subject.visitors.iosSafari.reason !== 'setting_never') return null;
  return {
    message:
      'landingPage is never, so installs on iOS are matched by address, system and language alone: behind an address that many share, few are found.',
    mend: 'Set landingPage to auto: the page takes a moment and learns the screen and the time zone.',
  };
}

function androidWithoutPage(subject: Subject): Words | null {
  if (!leadsPastPlay(subject) || subject.app.fingerprint_android === 0) return null;
  if (subject.visitors.androidChrome.reason !== 'setting_never') return null;
  return {
    message:
      'landingPage is never and androidDestination is not in Play, so installs on Android are matched by address and language alone: few are found.',
    mend: 'Set landingPage to auto: the page takes a moment and learns the model, the screen and the time zone.',
  };
}

function tokenWithoutPage({ link, visitors }: Subject): Words | null {
  if (!link.app.clipboardToken || link.iosDestination === null) return null;
  if (visitors.iosSafari.reason !== 'setting_never') return null;
  return {
    message:
      'clipboardToken is on, but landingPage is never: there is no page that offers to copy the token.',
    mend: 'Set landingPage to auto, or clipboardToken of the app to false.',
  };
}

/** Not once the link has expired: then all go elsewhere. */
function leadsToAppStore({ link, visitors }: Subject): boolean {
  return link.iosDestination !== null && visitors.iosSafari.reason !== 'expired';
}

function leadsPastPlay({ link, visitors }: Subject): boolean {
  if (link.androidDestination === null || visitors.androidChrome.reason === 'expired') return false;
  return !isPlay(new URL(link.androidDestination));
}
