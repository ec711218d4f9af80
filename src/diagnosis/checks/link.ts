import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { chooseDestination, isExpired, pathsOf } from '../../links/index.ts';
import type { Checks, FindingText, Subject } from '../check.ts';

/** Settings of the link itself. */
export const LINK_CHECKS = {
  'expiry.past': ['error', expired],
  'expiry.soon': ['warning', expiresSoon],
  'path.without_host': ['error', pathWithoutHost],
  'destination.loop': ['error', leadsInCircle],
  'destination.unknown_link': ['error', leadsToNoLink],
  'destination.ios_missing': ['error', noIosDestination],
  'destination.android_missing': ['error', noAndroidDestination],
  'destination.others_missing': ['info', noFallback],
  'sandbox.live_key': ['warning', sandboxLink],
  'card.missing': ['info', noCard],
  'card.image_not_https': ['warning', imageNotHttps],
} as const satisfies Checks;

const SOON_DAYS = 7;

function expired({ link, visitors, nowMs }: Subject): FindingText | null {
  if (link.expiresAtMs === null || !isExpired(link, nowMs)) return null;
  const otherwise = link.expiredUrl === null ? 'fallbackUrl' : 'expiredUrl';
  const outcome =
    visitors.desktop.answer === 'gone' ? 'get an error page' : `are redirected to its ${otherwise}`;
  return {
    message: `The link expired at ${isoTime(link.expiresAtMs)}. Visitors ${outcome}, and no click is recorded.`,
    mend: `Set expiresInDays or expiresAt with PATCH /v1/links/${link.shortCode}, or null for no expiry.`,
  };
}

function expiresSoon({ link, nowMs }: Subject): FindingText | null {
  if (link.expiresAtMs === null || isExpired(link, nowMs)) return null;
  if (link.expiresAtMs - nowMs > SOON_DAYS * DAY_MS) return null;
  return {
    message: `The link expires at ${isoTime(link.expiresAtMs)}.`,
    mend: `If it is needed longer, set expiresInDays with PATCH /v1/links/${link.shortCode}, or null for no expiry.`,
  };
}

function pathWithoutHost({ row, app, link }: Subject): FindingText | null {
  if (row.path === null || app.short_link_host !== null) return null;
  return {
    message: `The link’s path /${row.path} answers nowhere: the app has no host of its own, and at other hosts links have their codes alone.`,
    mend: `Set shortLinkHost of the app to the host of the printed addresses, or clear path with PATCH /v1/links/${link.shortCode}.`,
  };
}

function leadsInCircle({ link, loop }: Subject): FindingText | null {
  if (loop === null) return null;
  return {
    message: `${loop.field} leads in a circle, over ${pathsOf(loop)}: browsers end it with an error (too many redirects).`,
    mend: `Set ${loop.field} to an address that is none of the short links on the way, with PATCH /v1/links/${link.shortCode} or on the app.`,
  };
}

function leadsToNoLink({ link, unknownLinks: [first, ...others] }: Subject): FindingText | null {
  if (first === undefined) return null;
  const fields = [first, ...others].map(({ field }) => field).join(', ');
  return {
    message: `There is no short link at ${first.path}, to which ${first.field} leads: it was deleted or never created, so visitors get an error page.`,
    mend: `Set ${fields} to an address that exists, with PATCH /v1/links/${link.shortCode} or on the app.`,
  };
}

function noIosDestination({ link }: Subject): FindingText | null {
  if (chooseDestination(link, 'IOS', null) !== null) return null;
  return {
    message: 'There is no destination for iPhones and iPads: iosDestination and fallbackUrl are missing.',
    mend: 'Set iosDestination to the app’s App Store address, or set fallbackUrl, on the link or its app.',
  };
}

function noAndroidDestination({ link }: Subject): FindingText | null {
  if (chooseDestination(link, 'ANDROID', null) !== null) return null;
  return {
    message: 'There is no destination for Android: androidDestination and fallbackUrl are missing.',
    mend: 'Set androidDestination to the app’s Google Play address, or set fallbackUrl, on the link or its app.',
  };
}

function noFallback({ link, visitors }: Subject): FindingText | null {
  if (visitors.desktop.reason !== 'nowhere_to_go') return null;
  const hasStore = link.iosDestination !== null || link.androidDestination !== null;
  return {
    message: hasStore
      ? 'Computers get a page with a QR code and the stores, because fallbackUrl is missing.'
      : 'Computers get a page without links, because fallbackUrl and the store addresses are missing.',
    mend: 'If a web page has the same content, set fallbackUrl on the link or its app to it.',
  };
}

function sandboxLink({ link, mode }: Subject): FindingText | null {
  if (!link.sandbox || mode === 'test') return null;
  return {
    message:
      'The link is a sandbox link: only debug builds can claim its clicks. Apps from the stores find no click.',
    mend: `Set sandbox to false with PATCH /v1/links/${link.shortCode} before publishing the link. For tests, use the test key.`,
  };
}

function noCard({ link, visitors }: Subject): FindingText | null {
  if (!hasCard(visitors)) return null;
  if (link.ogTitle !== null || link.ogDescription !== null || link.ogImage !== null) return null;
  return {
    message: `Chat previews show only the app’s name, “${link.app.name}”: the link has no ogTitle, ogDescription or ogImage.`,
    mend: `Set them with PATCH /v1/links/${link.shortCode}.`,
  };
}

function imageNotHttps({ link, visitors }: Subject): FindingText | null {
  if (!hasCard(visitors) || link.ogImage === null || new URL(link.ogImage).protocol === 'https:') return null;
  return {
    message: 'ogImage is not an https address. Many chats do not show such images.',
    mend: 'Serve the image over HTTPS and set ogImage to that address.',
  };
}

/** False for an expired link. */
function hasCard({ previewBot }: Subject['visitors']): boolean {
  return previewBot.answer === 'preview';
}
