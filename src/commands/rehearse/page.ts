/** What a program can read of a page without running its scripts. */
import { Parser } from 'htmlparser2';
import { oneLine } from '../../lib/text.ts';
import type { Card } from './answer.ts';

export interface PageFacts {
  readonly card: Card;
  /** Of `<meta http-equiv="refresh">`, resolved. */
  readonly refresh: string | null;
  /** All that it names, in links and in scripts. */
  readonly addresses: readonly string[];
}

const ADDRESS = /(?:https?|market|itms-appss?|intent):(?:\\?\/){2}[^\s"'`<>\\)]+(?:\\\/[^\s"'`<>\\)]*)*/g;
const MAX_ADDRESSES = 200;

/** @param at the address of the page. */
export function readPage(html: string, at: string): PageFacts {
  const meta = new Map<string, string>();
  const found = new Set<string>();
  let title = '';
  let isTitle = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      isTitle = name === 'title' && title === '';
      const key = attributes.property ?? attributes.name ?? attributes['http-equiv'];
      const { content } = attributes;
      if (name === 'meta' && key !== undefined && content !== undefined && !meta.has(key.toLowerCase()))
        meta.set(key.toLowerCase(), content);
      for (const value of Object.values(attributes)) addAddresses(found, value);
    },
    ontext(text) {
      if (isTitle) title += text;
      addAddresses(found, text);
    },
    onclosetag(name) {
      if (name === 'title') isTitle = false;
    },
  });
  parser.end(html);
  const text = (...names: string[]) => firstText(names.map((name) => meta.get(name)));
  const image = text('og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image');
  return {
    card: {
      title: text('og:title', 'twitter:title') ?? firstText([title]),
      description: text('og:description', 'twitter:description', 'description'),
      image: image === null ? null : resolved(image, at),
    },
    refresh: resolved(
      /^\s*\d*(?:\.\d+)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(meta.get('refresh') ?? '')?.[1],
      at,
    ),
    addresses: [...found],
  };
}

function addAddresses(found: Set<string>, text: string): void {
  for (const [address] of text.matchAll(ADDRESS)) {
    if (found.size >= MAX_ADDRESSES) return;
    // Scripts write `https:\/\/`.
    found.add(address.replaceAll('\\/', '/'));
  }
}

function firstText(texts: readonly (string | undefined)[]): string | null {
  for (const text of texts) {
    const line = oneLine(text ?? '');
    if (line !== '') return line;
  }
  return null;
}

function resolved(address: string | undefined, at: string): string | null {
  return address !== undefined && URL.canParse(address.trim(), at) ? new URL(address.trim(), at).href : null;
}
