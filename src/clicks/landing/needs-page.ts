import type { ResolvedLink } from '../../links/index.ts';
import type { Visitor } from '../visitor.ts';

/** What a tap's answer hangs on, beside the link. */
export interface Arrival {
  readonly visitor: Visitor;
  /** Null where the click could not be written. */
  readonly clickId: string | null;
  /** Where a 302 would lead. */
  readonly destination: string;
  /** The request's `Accept`: programs do not ask for HTML, and get no page. */
  readonly accept: string | undefined;
}

/**
 * Whether a tap is answered with a page rather than a 302: where a bare redirect to a store would lose what the match
 * needs, or may not get there. `docs/links.md` has the table.
 */
export function needsPage(link: ResolvedLink, { visitor, clickId, destination, accept }: Arrival): boolean {
  if (visitor.kind !== 'human' || accept?.includes('text/html') !== true) return false;
  if (link.landingPage !== 'auto') return link.landingPage === 'always';
  if (clickId === null || !leadsToStore(link, visitor)) return false;
  return visitor.inApp !== null || !destination.includes(clickId);
}

/** Whether the platform has a destination of its own, rather than the fallback. */
export function leadsToStore(link: ResolvedLink, { platform }: Visitor): boolean {
  if (platform === 'IOS') return link.iosDestination !== null;
  return platform === 'ANDROID' && link.androidDestination !== null;
}
