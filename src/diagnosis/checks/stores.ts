import { isAppStore, isPlay, isTestFlight } from '../../links/index.ts';
import type { Checks, FindingText, Subject } from '../check.ts';

/** Whether destinations are the store addresses of this app. */
export const STORE_CHECKS = {
  'ios.not_app_store': ['warning', notAppStore],
  'ios.no_id_in_address': ['error', noIdInAddress],
  'ios.other_app': ['error', otherIosApp],
  'ios.app_store_id_unset': ['info', appStoreIdUnset],
  'android.not_play': ['warning', notPlay],
  'android.no_package_in_address': ['error', noPackageInAddress],
  'android.other_app': ['error', otherAndroidApp],
} as const satisfies Checks;

function notAppStore(subject: Subject): FindingText | null {
  const address = iosAddress(subject);
  if (address === null || isAppStore(address) || isTestFlight(address)) return null;
  return {
    message: `iosDestination of ${ownerOf(subject, 'ios_destination')} leads to ${address.host}, which is not the App Store.`,
    mend: 'If the app is in the App Store, set it to https://apps.apple.com/app/id… with the app’s id.',
  };
}

function noIdInAddress(subject: Subject): FindingText | null {
  const address = iosAddress(subject);
  if (address === null || !isAppStore(address) || appStoreIdIn(address) !== null) return null;
  return {
    message: `iosDestination of ${ownerOf(subject, 'ios_destination')} is an App Store address without an app id.`,
    mend: 'Set it to https://apps.apple.com/app/id… with the app’s id, which App Store Connect calls Apple ID.',
  };
}

function otherIosApp(subject: Subject): FindingText | null {
  const { ios_app_store_id: own } = subject.app;
  const id = storeIdOf(subject);
  if (id === null || own === null || id === own) return null;
  return {
    message: `iosDestination of ${ownerOf(subject, 'ios_destination')} leads to the app with the id ${id}, but the app’s iosAppStoreId is ${own}.`,
    mend: 'Correct the one that is wrong. App Store Connect shows the id as Apple ID.',
  };
}

function appStoreIdUnset(subject: Subject): FindingText | null {
  const id = storeIdOf(subject);
  if (id === null || subject.app.ios_app_store_id !== null) return null;
  return {
    message: 'The app has no iosAppStoreId, so postbacks of ad networks cannot be assigned to it.',
    mend: `Set iosAppStoreId of the app: ${id} according to iosDestination.`,
  };
}

function notPlay(subject: Subject): FindingText | null {
  const address = androidAddress(subject);
  if (address === null || isPlay(address)) return null;
  return {
    message: `androidDestination of ${ownerOf(subject, 'android_destination')} is not an app’s address in Google Play, so it carries no click ID: installs can be matched by fingerprint only.`,
    mend: 'Set it to https://play.google.com/store/apps/details?id=… with the app’s package.',
  };
}

function noPackageInAddress(subject: Subject): FindingText | null {
  const address = androidAddress(subject);
  if (address === null || !isPlay(address) || packageIn(address) !== null) return null;
  return {
    message: `androidDestination of ${ownerOf(subject, 'android_destination')} is a Google Play address without an app id.`,
    mend: 'Set it to https://play.google.com/store/apps/details?id=… with the app’s package.',
  };
}

function otherAndroidApp(subject: Subject): FindingText | null {
  const { android_package: own } = subject.app;
  const address = androidAddress(subject);
  const target = address !== null && isPlay(address) ? packageIn(address) : null;
  if (target === null || own === null || target === own) return null;
  return {
    message: `androidDestination of ${ownerOf(subject, 'android_destination')} leads to ${target}, but the app’s androidPackage is ${own}.`,
    mend: 'Correct the one that is wrong.',
  };
}

function iosAddress({ link }: Subject): URL | null {
  return link.iosDestination === null ? null : new URL(link.iosDestination);
}

function androidAddress({ link }: Subject): URL | null {
  return link.androidDestination === null ? null : new URL(link.androidDestination);
}

function storeIdOf(subject: Subject): string | null {
  const address = iosAddress(subject);
  return address !== null && isAppStore(address) ? appStoreIdIn(address) : null;
}

/** `/de/app/shop/id525463029`; older addresses have the id in the query. */
function appStoreIdIn({ pathname, searchParams }: URL): string | null {
  const id = /\/id(\d+)(?:\/|$)/.exec(pathname)?.[1] ?? searchParams.get('id');
  return id !== null && /^\d+$/.test(id) ? id : null;
}

function packageIn({ searchParams }: URL): string | null {
  return searchParams.get('id') || null;
}

function ownerOf({ row, rule }: Subject, column: 'ios_destination' | 'android_destination'): string {
  return rule ?? (row[column] === null ? 'the app' : 'the link');
}
