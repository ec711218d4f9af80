import type { Platform } from '../devices/index.ts';
import { chooseDestination, destinationOfExpired, type RoutedLink } from '../links/index.ts';
import type { LinkByPlatform } from './link-by-platform.ts';
import type { Visitor } from './visitors/index.ts';

/** The properties of a tap that its answer depends on. */
interface AnswerInput {
  readonly visitor: Visitor;
  /** Null if the click could not be written. */
  readonly clickId: string | null;
  /** The request's `Accept`. */
  readonly accept: string | undefined;
  /** The link as it is for the visitor on another platform: a tablet may turn out to have it. */
  readonly linkOn: LinkByPlatform;
}

/**
 * Whether a tap is answered with a page rather than a 302, by reason: a page where a redirect to a store would lose data
 * for the match or may be blocked. `docs/guide/links.md` has the table.
 */
const NEEDS_PAGE = {
  no_person: false,
  asks_for_no_html: false,
  setting_always: true,
  setting_never: false,
  click_not_written: false,
  no_store: false,
  may_be_tablet: true,
  in_app_browser: true,
  address_with_click: false,
  address_without_click: true,
} as const;
type PageReason = keyof typeof NEEDS_PAGE;

/** Reasons for an answer; `diagnosis/visitors.ts` describes each. */
export type AnswerReason = PageReason | 'expired' | 'preview' | 'nowhere_to_go';

/**
 * The response to a tap. A page's `destination` is null if the link has none for the visitor, and `isStore` if it is not only
 * the fallback.
 */
export type Answer = { readonly reason: AnswerReason } & (
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'page'; readonly destination: string | null; readonly isStore: boolean }
  | { readonly kind: 'preview' }
  | { readonly kind: 'gone' }
);

/** Pure: used for taps and by the link diagnosis. */
export function chooseAnswer(link: RoutedLink, input: AnswerInput): Exclude<Answer, { kind: 'gone' }> {
  const { visitor, clickId } = input;
  if (visitor.kind === 'preview') return { kind: 'preview', reason: 'preview' };
  const destination = chooseDestination(link, visitor.platform, clickId);
  if (destination === null) return { kind: 'page', destination, isStore: false, reason: 'nowhere_to_go' };
  const reason = pageReason(link, input, destination);
  return NEEDS_PAGE[reason]
    ? { kind: 'page', destination, isStore: leadsToStore(link, visitor), reason }
    : { kind: 'redirect', location: destination, reason };
}

function pageReason(link: RoutedLink, input: AnswerInput, destination: string): PageReason {
  const { visitor, clickId, accept } = input;
  if (visitor.kind !== 'human') return 'no_person';
  if (!acceptsHtml(accept)) return 'asks_for_no_html';
  if (link.landingPage !== 'auto') return `setting_${link.landingPage}`;
  if (clickId === null) return 'click_not_written';
  if (!leadsToStore(link, visitor)) return mayBeTablet(link, input) ? 'may_be_tablet' : 'no_store';
  if (visitor.inApp !== null) return 'in_app_browser';
  return destination.includes(clickId) ? 'address_with_click' : 'address_without_click';
}

/** Every browser sends `text/html` in `Accept`; few other clients do. */
export function acceptsHtml(accept: string | undefined): boolean {
  return accept?.includes('text/html') === true;
}

/** Only a script can tell a tablet that asks for desktop pages from a computer. */
function mayBeTablet(link: RoutedLink, { visitor, linkOn }: AnswerInput): boolean {
  const { platform, hiddenPlatform } = visitor;
  return platform === null && hiddenPlatform !== null && isOtherOn(link, hiddenPlatform, linkOn);
}

/** Whether a tablet of the platform gets something else than a computer: a store, or what another rule says. */
export function isOtherOn(link: RoutedLink, platform: Platform, linkOn: LinkByPlatform): boolean {
  const onTablet = linkOn(platform);
  return leadsToStore(onTablet, { platform }) || onTablet.rule?.place !== link.rule?.place;
}

/** Whether the link has a destination for the visitor's platform, rather than only a fallback. */
function leadsToStore(link: RoutedLink, { platform }: Pick<Visitor, 'platform'>): boolean {
  if (platform === 'IOS') return link.iosDestination !== null;
  return platform === 'ANDROID' && link.androidDestination !== null;
}

/** The answer to every tap on an expired link: its `expiredUrl` or fallback, if any. No click is recorded. */
export function chooseAnswerOfExpired(link: RoutedLink): Extract<Answer, { kind: 'redirect' | 'gone' }> {
  const location = destinationOfExpired(link);
  return location === null
    ? { kind: 'gone', reason: 'expired' }
    : { kind: 'redirect', location, reason: 'expired' };
}
