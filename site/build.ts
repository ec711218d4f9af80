/**
 * `npm run site`: makes `site/dist` of `docs` and the packages' README files: a page and its Markdown for each document,
 * the index of the search, and `llms.txt`. The service sends it at `/docs`.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { build } from 'rolldown';
import { groupsOf } from './contents.ts';
import { type Document, renderDocument } from './document.ts';
import { layout, ROOT } from './layout.ts';
import { fileOf, withServedLinks } from './links.ts';
import { listForPrograms } from './llms.ts';
import { INDEX } from './search-options.ts';

const DOCS = join(import.meta.dirname, '../docs');
const DIST = join(import.meta.dirname, 'dist');
const ASSETS = join(DIST, 'assets');
const MISSING = {
  title: 'No document has this address',
  html: '<h1>No document has this address</h1><p>Choose one from the list of documents, or search.</p>',
};
const FRONT = {
  title: 'Mobile attribution and deep links',
  html: `<h1>Throughline</h1>
<p>Short links that open apps, and the reason why each install came. The service runs.</p>
<ul>
<li><a href="${ROOT}/console/">Open the console</a>: links, numbers, records, and a set-up that takes you to the first install</li>
<li><a href="${ROOT}/docs/guide/console">What the console shows</a>, and who may <a href="${ROOT}/docs/guide/accounts">sign in</a></li>
<li><a href="${ROOT}/docs/guide/running">How to run the service</a></li>
<li><a href="${ROOT}/docs/reference/api">The API</a>, also as <a href="${ROOT}/openapi.json">OpenAPI</a></li>
<li><a href="${ROOT}/docs/">All documents</a></li>
</ul>
<p>To look around first, fill an app with 90 days of made-up traffic: <code>npx throughline demo</code>.</p>`,
};

/** By path below `/docs/`, with `.md`. */
const markdown = readDocuments();
const documents = new Map([...markdown].map(([path, text]) => [path, renderDocument(path, text)]));

rmSync(DIST, { recursive: true, force: true });
writePages();
write('llms.txt', listForPrograms(ROOT, markdown));
cpSync(join(DOCS, 'pictures'), join(DIST, 'pictures'), { recursive: true });
cpSync(join(import.meta.dirname, 'site.css'), join(ASSETS, 'site.css'));
write('assets/search.json', JSON.stringify(indexOf(documents)));
await build({
  input: join(import.meta.dirname, 'browser.js'),
  platform: 'browser',
  logLevel: 'warn',
  output: { file: join(ASSETS, 'site.js'), format: 'esm', minify: true },
});
for (const file of globSync(join(ASSETS, '*')))
  writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));

function readDocuments(): Map<string, string> {
  const files = globSync('{index,import,guide/*,reference/*,internals/*,adr/*}.md', { cwd: DOCS });
  const readmes = globSync('{packages,clients}/*/README.md', { cwd: dirname(DOCS) });
  const paths = [...files, ...readmes.map((file) => file.replace('/README', ''))].sort();
  return new Map(paths.map((path) => [path, readFileSync(join(DOCS, fileOf(path) ?? path), 'utf8')]));
}

function writePages(): void {
  const titles = new Map([...documents].map(([path, { title }]) => [pathOf(path), title]));
  const groups = groupsOf([...titles.keys()]).map(({ title, pages }) => ({
    title,
    pages: pages.map((path) => ({ path, title: titles.get(path) ?? path })),
  }));
  for (const [path, document] of documents) {
    write(path, withServedLinks(path, markdown.get(path) ?? ''));
    write(`${pathOf(path)}.html`, layout({ ...document, path: pathOf(path), groups }));
  }
  for (const [name, page] of Object.entries({ missing: MISSING, front: FRONT }))
    write(`${name}.html`, layout({ ...page, headings: [], path: null, groups }));
}

function indexOf(all: ReadonlyMap<string, Document>): MiniSearch {
  const index = new MiniSearch(INDEX);
  const ids = new Set<string>();
  for (const [path, { title, sections }] of all)
    for (const { anchor, heading, text } of sections) {
      const id = anchor === null ? pathOf(path) : `${pathOf(path)}#${anchor}`;
      // A second heading of the same text has no address of its own.
      if (!ids.has(id)) index.add({ id, title, heading, text });
      ids.add(id);
    }
  return index;
}

function pathOf(file: string): string {
  return file.replace(/\.md$/, '');
}

function write(path: string, text: string): void {
  const file = join(DIST, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
