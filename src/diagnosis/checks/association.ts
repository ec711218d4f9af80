import type { Checks, FindingText, Subject } from '../check.ts';

/** Universal Links and App Links: whether a tap opens the installed app. */
export const ASSOCIATION_CHECKS = {
  'association.ios_missing': ['warning', noIosAssociation],
  'association.ios_team_form': ['warning', malformedTeam],
  'association.android_package_missing': ['warning', noPackage],
  'association.android_fingerprints_missing': ['warning', noFingerprints],
  'association.host_shared': ['warning', sharedHost],
  'association.path_not_claimed': ['warning', pathNotClaimed],
  'association.manifest_path': ['info', manifestPath],
} as const satisfies Checks;

/** Format of Apple's team ids. */
const TEAM = /^[A-Z0-9]{10}$/;

function noIosAssociation(subject: Subject): FindingText | null {
  if (!servesIos(subject) || hasIosAssociation(subject)) return null;
  const { ios_team_id: team, ios_bundle_id: bundle } = subject.app;
  const missing = [...(team === null ? ['iosTeamId'] : []), ...(bundle === null ? ['iosBundleId'] : [])];
  return {
    message: `Taps on iOS do not open the installed app: without ${missing.join(' and ')} the app is not in apple-app-site-association.`,
    mend: `Set ${missing.join(' and ')} of the app, and add the host to its Associated Domains (docs/guide/links.md).`,
  };
}

function malformedTeam({ app: { ios_team_id: team } }: Subject): FindingText | null {
  if (team === null || TEAM.test(team)) return null;
  return {
    message: `Invalid iosTeamId ${team}: Apple’s team ids have 10 characters of A-Z and 0-9.`,
    mend: 'Set it to the prefix of the App ID in the Apple Developer account.',
  };
}

function noPackage(subject: Subject): FindingText | null {
  if (!servesAndroid(subject) || subject.app.android_package !== null) return null;
  return {
    message:
      'Taps on Android do not open the installed app: without androidPackage the app is not in assetlinks.json.',
    mend: 'Set androidPackage and androidCertFingerprints of the app.',
  };
}

function noFingerprints(subject: Subject): FindingText | null {
  if (subject.app.android_package === null || hasAndroidAssociation(subject)) return null;
  return {
    message:
      'Taps on Android do not open the installed app: without androidCertFingerprints the app is not in assetlinks.json.',
    mend: 'Set androidCertFingerprints of the app to the SHA-256 fingerprints of its signing certificates. With Play App Signing, the Play Console shows them.',
  };
}

function sharedHost(subject: Subject): FindingText | null {
  const { link, associated } = subject;
  const most = Math.max(
    servesIos(subject) ? associated.ios.length : 0,
    servesAndroid(subject) ? associated.android.length : 0,
  );
  if (most < 2) return null;
  return {
    message: `${most} apps claim the links at ${new URL(link.shortUrl).host}. A phone with several of them opens one without asking.`,
    mend: 'If users may install several of these apps, give this app its own host with shortLinkHost.',
  };
}

function pathNotClaimed({ link, app, associated }: Subject): FindingText | null {
  if (link.path === null || app.short_link_host === null) return null;
  const { pathname } = new URL(link.shortUrl);
  const opens = associated.opens(pathname);
  if (opens.ios && opens.android) return null;
  return {
    message: `The association files of ${app.short_link_host} leave ${pathname} to the browser: a tap on it does not open the installed app.`,
    mend: `Give the link another path with PATCH /v1/links/${link.shortCode}, or share its address by the code.`,
  };
}

/** Nobody but the app knows its manifest. */
function manifestPath({ link, app }: Subject): FindingText | null {
  if (link.path === null || app.short_link_host === null || app.android_package === null) return null;
  const { pathname } = new URL(link.shortUrl);
  return {
    message: `On Android the app’s manifest decides whether it opens ${pathname}: a filter with pathPrefix="/l/" leaves it to the browser.`,
    mend: `Leave pathPrefix out of the filter for ${app.short_link_host}, so that it has all paths (docs/guide/links.md).`,
  };
}

export function hasIosAssociation({ app }: Subject): boolean {
  return app.ios_team_id !== null && app.ios_bundle_id !== null;
}

/** The file contains an app only with a certificate fingerprint. */
export function hasAndroidAssociation({ app, associated }: Subject): boolean {
  return app.android_package !== null && associated.android.includes(app.android_package);
}

function servesIos({ link, app }: Subject): boolean {
  return [link.iosDestination, app.ios_bundle_id, app.ios_team_id, app.ios_app_store_id].some(
    (one) => one !== null,
  );
}

function servesAndroid({ link, app }: Subject): boolean {
  return link.androidDestination !== null || app.android_package !== null;
}
