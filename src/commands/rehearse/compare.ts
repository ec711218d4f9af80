import type { Answer, Asked, Card, Verdict } from './answer.ts';
import { comparable, utmOf } from './comparable.ts';

export interface Comparison {
  readonly verdict: Verdict;
  /** What a reader should know of it; empty if there is nothing. */
  readonly note: string;
}

const NO_CARD = 'Chats are led on to a page that did not answer here, so its card is not known.';

/** @param ends where the two destinations lead in the end, if they are known to lead to one place by different ways. */
export function compare({ answer: old }: Asked, { answer: now }: Asked, haveOneEnd = false): Comparison {
  if (old.kind === 'unreachable') return { verdict: 'old unreachable', note: old.why };
  if (old.kind === 'ended' && now.kind === 'ended') return { verdict: 'equal', note: 'Ended at both.' };
  if (old.kind === 'ended') return { verdict: 'only new', note: 'The old service has ended the link.' };
  if (now.kind === 'ended')
    return { verdict: 'only old', note: 'The service has no such link, or it has ended.' };
  if (old.kind === 'card' && now.kind === 'card') return compareCards(old.card, now.card);
  if (old.kind === 'leads' && now.kind === 'card') return { verdict: 'old unreachable', note: NO_CARD };
  if (old.kind === 'page') return comparePage(old.addresses, now);
  const [from, to] = [placeOf(old), placeOf(now)];
  if (from === null || to === null)
    return {
      verdict: 'different',
      note: 'The service shows a page without a destination: the link has none for this visitor.',
    };
  if (!haveOneEnd && comparable(from) !== comparable(to)) return { verdict: 'different', note: '' };
  const [oldUtm, newUtm] = [utmOf(from), utmOf(to)];
  return {
    verdict: 'equal',
    note:
      haveOneEnd || oldUtm === newUtm
        ? ''
        : `Other utm parameters: old ${oldUtm || 'none'}, new ${newUtm || 'none'}.`,
  };
}

/** Where the visitor gets to; null for a page that leads nowhere. */
export function placeOf(answer: Answer): string | null {
  if (answer.kind === 'leads') return answer.to;
  return answer.kind === 'card' ? answer.at : null;
}

/** What the old card lacks may be there: a title and a description are always sent. */
function compareCards(old: Card, now: Card): Comparison {
  const others = (['title', 'description', 'image'] as const).filter((part) => {
    const [was, is] = [old[part], now[part]];
    if (was === null) return false;
    return part === 'image' && is !== null ? comparable(was) !== comparable(is) : was !== is;
  });
  if (others.length === 0) return { verdict: 'equal', note: '' };
  const parts = others.map((part) => `${part} “${short(old[part])}”, now “${short(now[part])}”`);
  return { verdict: 'different', note: `Another card: ${parts.join('; ')}.` };
}

function short(text: string | null): string {
  return text !== null && text.length > 80 ? `${text.slice(0, 79)}…` : (text ?? '');
}

function comparePage(addresses: readonly string[], now: Answer): Comparison {
  if (now.kind === 'page') return { verdict: 'different', note: 'Both are pages: compare them on a phone.' };
  const place = placeOf(now);
  const isNamed = place !== null && addresses.some((address) => comparable(address) === comparable(place));
  return isNamed
    ? { verdict: 'equal', note: 'The old answer is a page that names the destination.' }
    : {
        verdict: 'different',
        note: 'The old answer is a page that does not name the destination: try it on a phone.',
      };
}
