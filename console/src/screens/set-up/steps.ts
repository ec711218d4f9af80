import type { App } from '@generated/types.gen.ts';
import type { Firsts } from './use-firsts.ts';

export interface Step {
  readonly name: string;
  readonly text: string;
  readonly state: 'done' | 'mend' | 'next' | 'waiting';
  /** Where the step is done. */
  readonly to: '/$appId/settings' | '/$appId/links' | null;
  readonly action: string;
  readonly hasCode: boolean;
}

interface Draft {
  readonly name: string;
  /** Null if it is done. */
  readonly missing: string | null;
  readonly done: string;
  readonly to?: Step['to'];
  readonly action?: string;
  /** Fails for people, rather than being not there yet. */
  readonly isBroken?: boolean;
  readonly hasCode?: boolean;
}

/** The first open step is next; the others wait, except those that fail for people who click already. */
export function stepsOf(app: App, firsts: Firsts): Step[] {
  let isNext = true;
  return draftsOf(app, firsts).map(
    ({ name, missing, done, to = null, action = '', isBroken = false, hasCode = false }) => {
      const state = missing === null ? 'done' : isBroken ? 'mend' : isNext ? 'next' : 'waiting';
      if (state === 'next') isNext = false;
      return { name, text: missing ?? done, state, to, action, hasCode };
    },
  );
}

const SETTINGS = { to: '/$appId/settings', action: 'Open settings' } as const;

function draftsOf(app: App, firsts: Firsts): Draft[] {
  const hasIos = app.iosDestination !== null;
  const hasAndroid = app.androidDestination !== null;
  const stores = [
    hasIos && `App Store ${app.iosAppStoreId ?? ''}`.trim(),
    hasAndroid && `Google Play ${app.androidPackage ?? ''}`.trim(),
  ];
  return [
    {
      name: 'The app in the stores',
      missing: hasIos || hasAndroid ? null : 'No store address yet, so links lead nowhere on phones.',
      done: stores.filter((text) => text !== false).join(', '),
      ...SETTINGS,
    },
    {
      name: 'iPhones open the app by its links',
      missing:
        app.iosBundleId !== null && app.iosTeamId !== null
          ? null
          : 'apple-app-site-association needs the bundle ID and the team ID.',
      done: `apple-app-site-association names ${app.iosTeamId}.${app.iosBundleId}`,
      isBroken: hasIos && firsts.clicks > 0,
      ...SETTINGS,
    },
    {
      name: 'Android phones open the app by its links',
      missing: androidMissing(app),
      done: `assetlinks.json names ${app.androidPackage}`,
      isBroken: hasAndroid && firsts.clicks > 0,
      ...SETTINGS,
    },
    {
      name: 'A first link',
      missing: firsts.hasLink ? null : 'Write the path of a screen of the app.',
      done: `/${firsts.linkCode}`,
      to: '/$appId/links',
      action: 'Make a link',
    },
    {
      name: 'The SDK in the app',
      missing: firsts.installs > 0 ? null : 'No app has reported yet. Put this where the app starts.',
      done: 'The app reports.',
      hasCode: true,
    },
    {
      name: 'First click',
      missing: firsts.clicks > 0 ? null : 'Scan a link’s QR code with a phone.',
      done: 'First click recorded.',
    },
    {
      name: 'First install',
      missing: firsts.installs > 0 ? null : 'Comes by itself once the app starts on that phone.',
      done: 'An app started for the first time.',
    },
    {
      name: 'First event',
      missing: firsts.hasEvent ? null : 'Comes when the app reports what people do.',
      done: 'The app reported one.',
    },
  ];
}

function androidMissing({ androidPackage, androidCertFingerprints }: App): string | null {
  if (androidPackage === null)
    return 'assetlinks.json needs the package and the fingerprint of its certificate.';
  if (androidCertFingerprints.length > 0) return null;
  return 'assetlinks.json has no certificate fingerprint, so every click goes to Play, also where the app is installed.';
}
