import type { Checks, Subject, Words } from '../check.ts';

/** Whether a tap opens the app itself where it is installed: whether phones are told that app and host belong together. */
export const ASSOCIATION_CHECKS = {
  'association.ios_missing': ['warning', noIosAssociation],
  'association.ios_team_form': ['warning', oddTeam],
  'association.android_package_missing': ['warning', noPackage],
  'association.android_fingerprints_missing': ['warning', noFingerprints],
  'association.host_shared': ['warning', sharedHost],
} as const satisfies Checks;

/** All team ids that Apple gives out. */
const TEAM = /^[A-Z0-9]{10}$/;

function noIosAssociation(subject: Subject): Words | null {
  if (!servesIos(subject) || hasIosAssociation(subject)) return null;
  const { ios_team_id: team, ios_bundle_id: bundle } = subject.app;
  const missing = [...(team === null ? ['iosTeamId'] : []), ...(bundle === null ? ['iosBundleId'] : [])];
  return {
    message: `No tap opens the app on iOS, also where it is installed: without ${missing.join(' and ')} the app is not in apple-app-site-association.`,
    mend: `Set ${missing.join(' and ')} of the app, and add the host to its Associated Domains (docs/links.md).`,
  };
}

function oddTeam({ app: { ios_team_id: team } }: Subject): Words | null {
  if (team === null || TEAM.test(team)) return null;
  return {
    message: `The app’s iosTeamId is ${team}. Apple’s have 10 characters, of A-Z and 0-9.`,
    mend: 'Set it to the prefix of the app’s identifier, as the developer account shows it.',
  };
}

function noPackage(subject: Subject): Words | null {
  if (!servesAndroid(subject) || subject.app.android_package !== null) return null;
  return {
    message:
      'No tap opens the app on Android, also where it is installed: without androidPackage the app is not in assetlinks.json.',
    mend: 'Set androidPackage and androidCertFingerprints of the app.',
  };
}

function noFingerprints(subject: Subject): Words | null {
  if (subject.app.android_package === null || hasAndroidAssociation(subject)) return null;
  return {
    message:
      'No tap opens the app on Android, also where it is installed: without androidCertFingerprints the app is not in assetlinks.json.',
    mend: 'Set androidCertFingerprints of the app to the SHA-256 fingerprints of the certificates that sign it; with Play App Signing, to Google’s, which the Play Console shows.',
  };
}

function sharedHost(subject: Subject): Words | null {
  const { link, named } = subject;
  const most = Math.max(
    servesIos(subject) ? named.ios.length : 0,
    servesAndroid(subject) ? named.android.length : 0,
  );
  if (most < 2) return null;
  return {
    message: `${most} apps claim the links at ${new URL(link.shortUrl).host}. A phone that has several of them opens one without asking which.`,
    mend: 'Give the app a host of its own with shortLinkHost, if somebody may have two of the apps.',
  };
}

/** Whether phones are told of the app. */
export function hasIosAssociation({ app }: Subject): boolean {
  return app.ios_team_id !== null && app.ios_bundle_id !== null;
}

/** Whether phones are told of the app: that takes the fingerprint of a certificate too. */
export function hasAndroidAssociation({ app, named }: Subject): boolean {
  return app.android_package !== null && named.android.includes(app.android_package);
}

/** Whether there is an app for iOS at all. */
function servesIos({ link, app }: Subject): boolean {
  return [link.iosDestination, app.ios_bundle_id, app.ios_team_id, app.ios_app_store_id].some(
    (one) => one !== null,
  );
}

function servesAndroid({ link, app }: Subject): boolean {
  return link.androidDestination !== null || app.android_package !== null;
}
