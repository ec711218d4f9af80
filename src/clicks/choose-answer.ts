import { chooseDestination, type ResolvedLink } from '../links/index.ts';
import { type Arrival, needsPage, type PageReason } from './landing/index.ts';

interface Redirect {
  readonly kind: 'redirect';
  readonly location: string;
  readonly reason: AnswerReason;
}

/** A page; `destination` is where it leads on, null where there is nowhere to go. */
interface LandingPage {
  readonly kind: 'page';
  readonly destination: string | null;
  readonly reason: AnswerReason;
}

/** What chats draw a card from. */
interface Preview {
  readonly kind: 'preview';
  readonly reason: AnswerReason;
}

interface Gone {
  readonly kind: 'gone';
  readonly reason: AnswerReason;
}

/** Why a visitor gets that answer; `diagnosis/visitors.ts` puts each into words. */
export type AnswerReason = PageReason | 'expired' | 'preview' | 'nowhere_to_go';

/** What a visitor of a link gets, and why. */
export type Answer = Redirect | LandingPage | Preview | Gone;

/** Decides by its arguments alone, for the redirect and for whoever asks what it would do. */
export function chooseAnswer(link: ResolvedLink, arrival: Arrival): Redirect | LandingPage | Preview {
  const { visitor, clickId } = arrival;
  if (visitor.kind === 'preview') return { kind: 'preview', reason: 'preview' };
  const destination = chooseDestination(link, visitor.platform, clickId);
  if (destination === null) return { kind: 'page', destination, reason: 'nowhere_to_go' };
  const { needed, reason } = needsPage(link, { ...arrival, destination });
  return needed ? { kind: 'page', destination, reason } : { kind: 'redirect', location: destination, reason };
}

/** The same for everybody once a link has expired; no click is recorded then. */
export function chooseAnswerOfExpired(link: ResolvedLink): Redirect | Gone {
  const location = chooseDestination(link, null, null);
  return location === null
    ? { kind: 'gone', reason: 'expired' }
    : { kind: 'redirect', location, reason: 'expired' };
}
