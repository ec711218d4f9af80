import { escapeHtml } from '../src/lib/html.ts';
import type { Document } from './document.ts';

/** In pages that have no place of their own, the service puts the path of PUBLIC_URL here. */
export const ROOT = '{root}';
const NAME = 'Throughline';

interface Page extends Pick<Document, 'title' | 'html' | 'headings'> {
  /** Below `/docs/`, without `.md`; null for a page without a document. */
  readonly path: string | null;
  readonly groups: readonly { readonly title: string; readonly pages: readonly Entry[] }[];
}

interface Entry {
  readonly path: string;
  readonly title: string;
}

/** Addresses are relative: the path of PUBLIC_URL is known at run time only. */
export function layout({ path, title, html, headings, groups }: Page): string {
  const docs = path === null ? `${ROOT}/docs/` : '../'.repeat(path.split('/').length - 1) || './';
  const name = path?.split('/').at(-1);
  const source = name === undefined ? '' : `\n<link rel="alternate" type="text/markdown" href="${name}.md">`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === NAME ? NAME : `${escapeHtml(title)} – ${NAME}`}</title>${source}
<link rel="stylesheet" href="${docs}assets/site.css">
<script type="module" src="${docs}assets/site.js"></script>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="${docs}">Throughline</a>
<search hidden><input type="search" placeholder="Search the documents" aria-label="Search the documents" autocomplete="off" spellcheck="false"><ol aria-label="Found"></ol><p class="none" role="status"></p></search>
<a class="console" href="${docs}../console/">Console</a>
</header>
<div class="columns">
<nav class="all" aria-label="Documents"><details><summary>Documents</summary>
${groups.map(({ title: group, pages }) => `<h2>${group}</h2><ul>${pages.map((entry) => item(docs, entry, path)).join('')}</ul>`).join('\n')}
</details></nav>
<main id="content">
${html}
${name === undefined ? '' : `<p class="source"><a href="${name}.md">This page as Markdown</a></p>`}
</main>
${asideOf(headings)}
</div>
</html>
`.replaceAll(`${ROOT}/docs/../`, `${ROOT}/`);
}

function item(docs: string, entry: Entry, current: string | null): string {
  const mark = entry.path === current ? ' aria-current="page"' : '';
  return `<li><a href="${docs}${entry.path}"${mark}>${escapeHtml(entry.title)}</a></li>`;
}

function asideOf(headings: Page['headings']): string {
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ anchor, text }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}
