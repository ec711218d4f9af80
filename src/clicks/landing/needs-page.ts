import type { ResolvedLink } from '../../links/index.ts';
import { asksForHtml } from '../pages/page.ts';
import type { Visitor } from '../visitor.ts';

/** What a tap's answer hangs on, beside the link. */
export interface Arrival {
  readonly visitor: Visitor;
  /** Null where the click could not be written. */
  readonly clickId: string | null;
  /** The request's `Accept`: programs do not ask for HTML, and get no page. */
  readonly accept: string | undefined;
}

/**
 * Whether a tap is answered with a page rather than a 302, by the reason for it: where a bare redirect to a store would
 * lose what the match needs, or may not get there. `docs/links.md` has the table.
 */
const NEEDS_PAGE = {
  no_person: false,
  asks_for_no_html: false,
  setting_always: true,
  setting_never: false,
  click_not_written: false,
  no_store: false,
  in_app_browser: true,
  address_with_click: false,
  address_without_click: true,
} as const;

export type PageReason = keyof typeof NEEDS_PAGE;

/** @param destination where a 302 would lead. */
export function needsPage(
  link: ResolvedLink,
  arrival: Arrival & { readonly destination: string },
): { needed: boolean; reason: PageReason } {
  const reason = reasonFor(link, arrival);
  return { needed: NEEDS_PAGE[reason], reason };
}

function reasonFor(
  link: ResolvedLink,
  { visitor, clickId, destination, accept }: Arrival & { readonly destination: string },
): PageReason {
  if (visitor.kind !== 'human') return 'no_person';
  if (!asksForHtml(accept)) return 'asks_for_no_html';
  if (link.landingPage !== 'auto') return `setting_${link.landingPage}`;
  if (clickId === null) return 'click_not_written';
  if (!leadsToStore(link, visitor)) return 'no_store';
  if (visitor.inApp !== null) return 'in_app_browser';
  return destination.includes(clickId) ? 'address_with_click' : 'address_without_click';
}

/** Whether the platform has a destination of its own, rather than the fallback. */
export function leadsToStore(link: ResolvedLink, { platform }: Visitor): boolean {
  if (platform === 'IOS') return link.iosDestination !== null;
  return platform === 'ANDROID' && link.androidDestination !== null;
}
