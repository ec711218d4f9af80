import { chooseDestination, isExpired } from '../../links/index.ts';
import { DAY_MS, isoTime } from '../../platform/clock.ts';
import type { Checks, Subject, Words } from '../check.ts';

/** What may be wrong with the link itself, whatever its app is. */
export const LINK_CHECKS = {
  'expiry.past': ['error', expired],
  'expiry.soon': ['warning', expiresSoon],
  'destination.ios_missing': ['error', noIosDestination],
  'destination.android_missing': ['error', noAndroidDestination],
  'destination.others_missing': ['info', noFallback],
  'sandbox.live_key': ['warning', sandboxLink],
  'card.missing': ['info', noCard],
  'card.image_not_https': ['warning', imageNotHttps],
} as const satisfies Checks;

const SOON_DAYS = 7;

function expired({ link, visitors, nowMs }: Subject): Words | null {
  if (link.expiresAtMs === null || !isExpired(link, nowMs)) return null;
  const whereTo = visitors.desktop.answer === 'gone' ? 'get a page that says so' : 'go to its fallbackUrl';
  return {
    message: `The link expired at ${isoTime(link.expiresAtMs)}. Visitors ${whereTo}, and no click is recorded.`,
    mend: `Set a new expiresInDays by PATCH /v1/links/${link.shortCode}, or null for no end.`,
  };
}

function expiresSoon({ link, nowMs }: Subject): Words | null {
  if (link.expiresAtMs === null || isExpired(link, nowMs)) return null;
  if (link.expiresAtMs - nowMs > SOON_DAYS * DAY_MS) return null;
  return {
    message: `The link expires at ${isoTime(link.expiresAtMs)}.`,
    mend: `If it is needed for longer, set expiresInDays by PATCH /v1/links/${link.shortCode}, or null for no end.`,
  };
}

function noIosDestination({ link }: Subject): Words | null {
  if (chooseDestination(link, 'IOS', null) !== null) return null;
  return {
    message: 'iPhones and iPads have nowhere to go: there is no iosDestination and no fallbackUrl.',
    mend: 'Set iosDestination to the app’s address in the App Store, or fallbackUrl, of the link or of its app.',
  };
}

function noAndroidDestination({ link }: Subject): Words | null {
  if (chooseDestination(link, 'ANDROID', null) !== null) return null;
  return {
    message: 'Android phones have nowhere to go: there is no androidDestination and no fallbackUrl.',
    mend: 'Set androidDestination to the app’s address in Google Play, or fallbackUrl, of the link or of its app.',
  };
}

function noFallback({ link, visitors }: Subject): Words | null {
  if (visitors.desktop.reason !== 'nowhere_to_go') return null;
  const hasStore = link.iosDestination !== null || link.androidDestination !== null;
  return {
    message: hasStore
      ? 'Computers get a page with a QR code and the stores, since there is no fallbackUrl.'
      : 'Computers get a page that leads nowhere, since there is no fallbackUrl and no store’s address.',
    mend: 'If you have a page that shows the same as the app, set fallbackUrl of the link or of its app to it.',
  };
}

function sandboxLink({ link, mode }: Subject): Words | null {
  if (!link.sandbox || mode === 'test') return null;
  return {
    message:
      'The link is a sandbox link: only debug builds can claim its clicks, and apps from the stores find nothing.',
    mend: `Set sandbox to false by PATCH /v1/links/${link.shortCode} before it is given to people. While you test, ask with the test key.`,
  };
}

function noCard({ link, visitors }: Subject): Words | null {
  if (!hasCard(visitors)) return null;
  if (link.ogTitle !== null || link.ogDescription !== null || link.ogImage !== null) return null;
  return {
    message: `Chats show a card with nothing but the app’s name, “${link.app.name}”: the link has no ogTitle, ogDescription or ogImage.`,
    mend: `Set them by PATCH /v1/links/${link.shortCode}.`,
  };
}

function imageNotHttps({ link, visitors }: Subject): Words | null {
  if (!hasCard(visitors) || link.ogImage === null || new URL(link.ogImage).protocol === 'https:') return null;
  return {
    message: 'ogImage is no https address. Many chats show no such picture.',
    mend: 'Put the picture on HTTPS and name that address.',
  };
}

/** Chats get none of a link that has expired. */
function hasCard({ previewBot }: Subject['visitors']): boolean {
  return previewBot.answer === 'preview';
}
