/** What one kind of visitor gets at an address. */
export type Answer =
  /** Redirects end at this address. */
  | { readonly kind: 'leads'; readonly to: string }
  /** A page, as a chat sees it. */
  | { readonly kind: 'card'; readonly at: string; readonly card: Card }
  /** A page that no redirect leaves, with the addresses it names. */
  | { readonly kind: 'page'; readonly at: string; readonly addresses: readonly string[] }
  | { readonly kind: 'ended' }
  | { readonly kind: 'unreachable'; readonly why: string };

/** What a chat shows of a page; null where the page does not say. */
export interface Card {
  readonly title: string | null;
  readonly description: string | null;
  readonly image: string | null;
}

export interface Asked {
  readonly answer: Answer;
  /** Of the last response; null without any. */
  readonly status: number | null;
  /** The addresses asked, and at the end the one that was led to. */
  readonly hops: readonly string[];
}

/** The worst first. */
export const VERDICTS = ['only old', 'different', 'old unreachable', 'only new', 'equal'] as const;
/**
 * `only old`: the link works at the old service and not here. `only new`: the other way round. A link that ended at both is
 * `equal`.
 */
export type Verdict = (typeof VERDICTS)[number];
