import type { Asked } from './answer.ts';
import { hasEnded, type RehearsedLink } from './read-links.ts';
import type { RehearsedVisitor } from './visitors.ts';

/** What the file says that a visitor should get, in place of an answer of a service that has ended. */
export function expectedOf(link: RehearsedLink, visitor: RehearsedVisitor): Asked {
  return { answer: answerOf(link, visitor), status: null, hops: [] };
}

function answerOf(link: RehearsedLink, { name, readsCard }: RehearsedVisitor): Asked['answer'] {
  const { input } = link;
  if (input === null) return unknown('A list of addresses does not say where they lead: name an export.');
  if (hasEnded(link)) {
    const to = input.goneWhenExpired === true ? null : (input.expiredUrl ?? input.fallbackUrl ?? null);
    return to === null ? { kind: 'ended' } : { kind: 'leads', to };
  }
  if ((input.rules ?? []).length > 0) return unknown('The link has rules: try them in the console.');
  if (readsCard) {
    const { ogTitle = null, ogDescription = null, ogImage = null } = input;
    return { kind: 'card', at: '', card: { title: ogTitle, description: ogDescription, image: ogImage } };
  }
  const own = {
    iphone: input.iosDestination,
    android: input.androidDestination,
    'in-app': input.androidDestination,
  };
  const to = (name in own ? own[name as keyof typeof own] : null) ?? input.fallbackUrl ?? null;
  return to === null ? unknown('The file names no destination for this visitor.') : { kind: 'leads', to };
}

function unknown(why: string): Asked['answer'] {
  return { kind: 'unreachable', why };
}
