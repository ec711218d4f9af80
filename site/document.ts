/** A document as HTML, with its headings and the sections that the search finds. */
import { Marked, type Token } from 'marked';
import { escapeHtml } from '../src/lib/html.ts';
import { linkFrom } from './links.ts';

export interface Document {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly { readonly anchor: string; readonly text: string }[];
  readonly sections: readonly Section[];
}

interface Section {
  /** Null above the first heading. */
  readonly anchor: string | null;
  readonly heading: string;
  readonly text: string;
}

/** @param path of the Markdown below `/docs/` */
export function renderDocument(path: string, markdown: string): Document {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const link = escapeHtml(pageAddressOf(linkFrom(path, href)));
        return `<a href="${link}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const tokens = marked.lexer(markdown);
  // The keyboard scrolls what is too wide.
  const html = marked
    .parser(tokens)
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  const headings = tokens.flatMap((token) =>
    token.type === 'heading' && token.depth === 2
      ? [{ anchor: anchorOf(token.text), text: plain(token.text) }]
      : [],
  );
  return { title: titleOf(path, markdown), html, headings, sections: sectionsOf(tokens) };
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: { anchor: string | null; heading: string; text: string }[] = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type === 'heading') {
      const isTitle = token.depth === 1;
      sections.push({ anchor: isTitle ? null : anchorOf(token.text), heading: plain(token.text), text: '' });
    } else if (last !== undefined) last.text += `${plain(token.raw)} `;
  }
  return sections;
}

export function titleOf(path: string, markdown: string): string {
  return (/^# (.*)$/m.exec(markdown)?.[1] ?? path).replaceAll('`', '');
}

/** Without the marks of Markdown, as far as a search needs it. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|#>]+|-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The page of `links.md` is `links`, that of `index.md` the folder. */
function pageAddressOf(href: string): string {
  return /^https?:/.test(href) ? href : href.replace(/\.md(?=#|$)/, '').replace(/(^|\/)index(?=#|$)/, '$1./');
}

/** As links in the documents have it, which GitHub follows, too. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
