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
  /** Nothing to do here before another step. */
  readonly isWaiting?: boolean;
  readonly hasCode?: boolean;
}

/** The first open step is next; the others wait, except those that fail for people who click already. */
export function stepsOf(app: App, firsts: Firsts): Step[] {
  let isNext = true;
  return draftsOf(app, firsts).map((draft) => {
    const { name, missing, done, to = null, action = '', hasCode = false } = draft;
    const state = stateOf(draft, isNext);
    if (state === 'next') isNext = false;
    return { name, text: missing ?? done, state, to, action, hasCode };
  });
}

function stateOf({ missing, isBroken = false, isWaiting = false }: Draft, isNext: boolean): Step['state'] {
  if (missing === null) return 'done';
  if (isBroken) return 'mend';
  return isNext && !isWaiting ? 'next' : 'waiting';
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
      ...checked(
        firsts,
        STORES,
        stores.some(Boolean) ? null : 'No store address yet, so links lead nowhere on phones.',
      ),
      name: 'The app in the stores',
      done: stores.filter((text) => text !== false).join(', '),
      ...SETTINGS,
    },
    {
      ...checked(firsts, IOS, iosMissing(app)),
      name: 'iPhones open the app by its links',
      done: `apple-app-site-association names ${app.iosTeamId}.${app.iosBundleId}`,
      ...SETTINGS,
    },
    {
      ...checked(firsts, ANDROID, androidMissing(app)),
      name: 'Android phones open the app by its links',
      done: `assetlinks.json names ${app.androidPackage}`,
      ...SETTINGS,
    },
    {
      name: 'A first link',
      missing: firsts.hasLink ? foundIn(firsts, LINK) : 'Write the path of a screen of the app.',
      done: firsts.linkName ?? '',
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
      ...checked(firsts, MATCHING, null),
      name: 'Installs can find their click',
      done: 'Nothing stands in the way.',
      ...SETTINGS,
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

/** Codes of findings by the step that they keep open. */
const HOST = /^host\.|^path\.|^association\.(?:host|path)_/;
const STORES = /^destination\.(?:ios|android)_missing$|^(?:ios|android)\./;
const IOS = new RegExp(`${HOST.source}|^association\\.ios_`);
const ANDROID = new RegExp(`${HOST.source}|^association\\.(?:android|manifest)_`);
const LINK = /^destination\.(?:loop|unknown_link)$/;
const MATCHING = /^matching\./;

/** Errors and warnings of the diagnosis in its own words; null without any. */
function foundIn({ findings }: Firsts, codes: RegExp): string | null {
  const found = (findings ?? []).filter(({ code, severity }) => severity !== 'info' && codes.test(code));
  return found.length === 0 ? null : found.map(({ message, mend }) => `${message} ${mend}`).join('\n');
}

/** A step is done if its fields are there and the diagnosis of a link finds nothing against it. */
function checked(
  firsts: Firsts,
  codes: RegExp,
  lacks: string | null,
): Pick<Draft, 'missing' | 'isBroken' | 'isWaiting'> {
  const isUnproved = lacks === null && firsts.findings === null;
  const missing = lacks ?? (isUnproved ? 'Checked with the first link.' : foundIn(firsts, codes));
  return { missing, isWaiting: isUnproved, isBroken: missing !== null && firsts.clicks > 0 && !isUnproved };
}

function iosMissing({ iosBundleId, iosTeamId }: App): string | null {
  return iosBundleId !== null && iosTeamId !== null
    ? null
    : 'apple-app-site-association needs the bundle ID and the team ID.';
}

function androidMissing({ androidPackage, androidCertFingerprints }: App): string | null {
  if (androidPackage === null)
    return 'assetlinks.json needs the package and the fingerprint of its certificate.';
  if (androidCertFingerprints.length > 0) return null;
  return 'assetlinks.json has no certificate fingerprint, so every click goes to Play, also where the app is installed.';
}
