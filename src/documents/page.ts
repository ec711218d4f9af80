import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Marked } from 'marked';
import { escapeHtml } from '../lib/html.ts';
import { fixedBody, sendDocument } from '../server/fixed-body.ts';
import { linkFrom } from './links.ts';

export interface Document {
  readonly title: string;
  readonly html: string;
  /** Path of the same as Markdown. */
  readonly source?: string;
}

/** @param path below `/docs/` */
export function renderDocument(path: string, markdown: string): Document {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const link = linkFrom(path, href);
        return link === null ? text : `<a href="${escapeHtml(pageAddressOf(link))}">${text}</a>`;
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  // The keyboard scrolls what is too wide.
  const scrolled = html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { title: titleOf(path, markdown), html: scrolled, source: path };
}

export function titleOf(path: string, markdown: string): string {
  return (/^# (.*)$/m.exec(markdown)?.[1] ?? path).replaceAll('`', '');
}

/** The page of `links.md` is `links`. */
function pageAddressOf(href: string): string {
  return /^https?:/.test(href) ? href : href.replace(/\.md(?=#|$)/, '');
}

/** As links in the documents have it, which GitHub follows, too. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 76ch; margin: 0 auto; padding: 16px; font: 15px/1.55 system-ui, sans-serif; overflow-wrap: break-word;
  color: light-dark(#12181a, #e9eeef); background: light-dark(#fff, #11171a); }
a { color: light-dark(#006882, #62c4dd); }
nav { display: flex; gap: 16px; padding-bottom: 8px; border-bottom: 1px solid light-dark(#e2e7e8, #242d31); }
h1, h2, h3 { line-height: 1.3; }
code, pre { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; }
pre, .wide { overflow-x: auto; }
pre { padding: 12px; background: light-dark(#f4f6f6, #0b0f11); }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid light-dark(#e2e7e8, #242d31); text-align: left; vertical-align: top; }
img { max-width: 100%; }`;

/** Of every page: no script, no other host. */
export const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Sends the text, or 304 if the client has it. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, type }: { text: string; type: 'text/html' | 'text/plain' | 'text/markdown' },
): FastifyReply {
  return sendDocument(
    request,
    reply.headers(HEADERS),
    fixedBody(Buffer.from(text)),
    `${type}; charset=utf-8`,
  );
}

/** @param root the path of PUBLIC_URL */
export function pageOf({ title, html, source }: Document, root: string): string {
  const alternate =
    source === undefined
      ? ''
      : `\n<link rel="alternate" type="text/markdown" href="${escapeHtml(`${root}/docs/${source}`)}">`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Throughline</title>${alternate}
<style>${STYLE}</style>
<nav aria-label="Throughline"><a href="${escapeHtml(root)}/docs/">Documents</a> <a href="${escapeHtml(root)}/console/">Console</a></nav>
<main>
${html}
</main>
</html>
`;
}
