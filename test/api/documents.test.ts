/** The documents that the service serves, as `npm run site` made them: every one, with links that lead somewhere. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { useWorld } from '../helpers/world.ts';

const FILES = [
  ...globSync(['docs/{guide,reference,internals,adr}/*.md', 'docs/{import,index}.md']),
  ...globSync('{packages,clients}/*/README.md').map((file) => `docs/${file.replace('/README', '')}`),
];
const pageOf = (file: string) => `/${file.replace(/\.md$/, '')}`;
const nameOf = (file: string) => file.split('/').at(-1);

describe('the documents', () => {
  const world = useWorld('sqlite', { PUBLIC_URL: 'https://links.test/at' });
  const read = (url: string) => world.call('GET', url);

  it('every document is a page with its headings, and every link of it leads to a document of the service', async () => {
    assert.ok(FILES.length > 25);
    const pages = new Map<string, string>();
    for (const file of FILES) {
      const { status, text, headers } = await read(pageOf(file));
      assert.equal(status, 200, `${file}: npm run site makes its page`);
      assert.match(String(headers['content-type']), /^text\/html; charset=utf-8/);
      assert.match(text, /<h1 id=/, file);
      pages.set(pageOf(file), text);
    }
    for (const [path, text] of pages)
      for (const [, href = ''] of text.matchAll(/<(?:a href|img src)="([^"]+)"/g)) {
        const { pathname, hash, host } = new URL(href.replaceAll('&#38;', '&'), `https://links.test${path}`);
        if (host !== 'links.test' || pathname.startsWith('/at/')) continue;
        const target = pages.get(pathname);
        if (target === undefined) assert.equal((await read(pathname)).status, 200, `${path}: ${href}`);
        else if (hash !== '')
          assert.ok(target.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${path}: ${href}`);
      }
  });

  it('every document is Markdown too, at the address of its page with .md, which the page names', async () => {
    for (const file of FILES) {
      const { status, text, headers } = await read(`/${file}`);
      assert.deepEqual([status, headers['content-type']], [200, 'text/markdown; charset=utf-8']);
      assert.match(text, /^# /m, file);
      const alternate = `<link rel="alternate" type="text/markdown" href="${nameOf(file)}">`;
      assert.ok((await read(pageOf(file))).text.includes(alternate), file);
    }
    const { text } = await read('/docs/reference/errors.md');
    assert.equal(text, readFileSync('docs/reference/errors.md', 'utf8'));
  });

  it('every link of the Markdown leads to what the service serves', async () => {
    const seen = new Map<string, number>();
    for (const file of FILES)
      for (const [, href = ''] of (await read(`/${file}`)).text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        if (/^(?:https?|mailto):/.test(href)) continue;
        const { pathname } = new URL(href, `https://links.test/${file}`);
        if (!seen.has(pathname)) seen.set(pathname, (await read(pathname)).status);
        assert.equal(seen.get(pathname), 200, `${file}: ${href}`);
      }
    for (const path of ['/openapi.json', '/docs/packages/mcp.md', '/docs/guide/links.md'])
      assert.ok(seen.has(path), path);
  });

  it('a link to a file that the service lacks leads to the repository at this version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const repository = `https://github.com/throughline/throughline/blob/v${version}`;
    for (const [page, file] of [
      ['guide/kubernetes', 'deploy/kubernetes'],
      ['guide/monitoring', 'deploy/monitoring'],
      ['reference/settings', '.env.example'],
    ]) {
      assert.ok((await read(`/docs/${page}`)).text.includes(`href="${repository}/${file}"`), page);
      assert.ok((await read(`/docs/${page}.md`)).text.includes(`](${repository}/${file})`), page);
    }
  });

  it('a client that has a document is told so by its ETag', async () => {
    for (const path of [
      '/llms.txt',
      '/docs/llms.txt',
      '/docs/',
      '/docs/guide/links',
      '/docs/guide/links.md',
    ]) {
      const { headers } = await read(path);
      const etag = String(headers.etag);
      assert.match(etag, /^"[\w-]{43}"$/, path);
      const { status, text } = await world.call('GET', path, { headers: { 'if-none-match': etag } });
      assert.deepEqual([status, text], [304, ''], path);
    }
  });

  it('/llms.txt lists the guides and the reference as Markdown, in the form of llmstxt.org', async () => {
    const { status, text, headers } = await read('/llms.txt');
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    const [title, empty, quote] = text.split('\n');
    assert.deepEqual([title, empty, quote?.slice(0, 2)], ['# Throughline', '', '> ']);
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(https:\/\/links\.test\/at\/([^)]+)\)(: .+\.)?$/gm)];
    assert.equal(listed.length, text.match(/^- /gm)?.length);
    assert.deepEqual(
      listed.map(([, file]) => file),
      FILES.filter((file) => /guide|reference/.test(file)).sort(),
    );
    const { text: same } = await read('/docs/llms.txt');
    assert.equal(same, text);
  });

  it('links of the console lead to pages', async () => {
    const sources = globSync('console/src/**/*.{ts,tsx}').map((file) => readFileSync(file, 'utf8'));
    const paths = [...sources.join('\n').matchAll(/\$\{SERVICE_URL\}(docs\/[\w/.-]*)/g)];
    assert.ok(paths.length > 3);
    for (const [, path] of paths) {
      const { status, headers } = await read(`/${path}`);
      assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'], path);
    }
  });

  it('each page leads to all others, and to the console', async () => {
    for (const [path, to] of [
      ['/docs/', './'],
      ['/docs/guide/links', '../'],
    ] as const) {
      const { status, text } = await read(path);
      assert.equal(status, 200);
      const pages = FILES.map((file) => pageOf(file).replace('/docs/', '')).filter(
        (page) => page !== 'index',
      );
      for (const page of [...pages, '../console/'])
        assert.ok(text.includes(`href="${to}${page}"`), `${path}: ${page}`);
    }
    assert.match((await read('/docs/guide/no-such')).text, /href="\/at\/docs\/guide\/links"/);
    const { status: moved, headers } = await read('/docs');
    assert.deepEqual([moved, headers.location], [302, 'https://links.test/at/docs/']);
  });

  it('no script in the page runs, and no other host is asked', async () => {
    const { headers, text } = await read('/docs/guide/accounts');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; /);
    assert.doesNotMatch(policy, /unsafe|sha256|https?:/);
    assert.deepEqual(text.match(/<script[^>]*>[^<]|<style|style="|\bon\w+="/g), null);
  });

  it('nothing beside the documents is sent', async () => {
    for (const path of [
      'guide/none.md',
      'guide/../../package.json',
      '..%2f..%2fpackage.json',
      'guide%2f..%2f..%2f..%2fpackage.json',
      'guide/..%2f..%2fREADME.md',
      'api/openapi.json',
      'guide/accounts.md%00.png',
      'pictures/none.png',
      'guide/',
    ]) {
      const { status, text } = await read(`/docs/${path}`);
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
      assert.ok(!text.includes('"dependencies"'), path);
    }
  });
});

describe('the front page', () => {
  const world = useWorld('sqlite', {
    PUBLIC_URL: 'https://links.test/at',
    SHORT_LINK_URL: 'https://go.links.test',
  });
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const read = (accept: string, host = 'links.test', method: 'GET' | 'HEAD' = 'GET') =>
    world.call(method, '/', { headers: { accept, host } });

  it('leads a browser to the console and the documents, all of which exist', async () => {
    const { status, text, headers } = await read(BROWSER);
    assert.equal(status, 200, text);
    assert.match(String(headers['content-type']), /^text\/html; charset=utf-8/);
    assert.equal(headers.vary, 'Accept');
    const { headers: ofDocument } = await world.call('GET', '/docs/');
    for (const name of ['content-security-policy', 'x-content-type-options', 'referrer-policy'])
      assert.equal(headers[name], ofDocument[name], name);
    const paths = [...text.matchAll(/href="\/at([^"]+)"/g)].map(([, path = '']) => path);
    assert.ok(paths.includes('/console/') && paths.includes('/docs/'), text);
    for (const path of paths.filter((each) => each !== '/console/'))
      assert.equal((await world.call('GET', path)).status, 200, path);
    const head = await read(BROWSER, 'links.test', 'HEAD');
    assert.deepEqual(
      [head.status, head.text, head.headers['content-type']],
      [200, '', headers['content-type']],
    );
  });

  it('is not for programs, nor at hosts that are for links alone', async () => {
    await world.newApp({ shortLinkHost: 'go.shop.test' });
    const cases = [
      ['*/*', 'links.test'],
      ['application/json', 'links.test'],
      ['application/json, text/html;q=0.9', 'links.test'],
      [BROWSER, 'go.shop.test'],
      [BROWSER, 'GO.shop.test:443'],
      [BROWSER, 'go.links.test'],
    ] as const;
    for (const [accept, host] of cases) {
      const { status, headers, body } = await read(accept, host);
      assert.deepEqual(
        [status, headers['x-service-error']],
        [404, 'route.not_found'],
        `${accept} at ${host}`,
      );
      assert.equal(typeof body.error, 'string');
      assert.equal((await read(accept, host, 'HEAD')).status, 404);
    }
    for (const host of ['go.shop.test', 'go.links.test'])
      assert.equal((await world.call('GET', '/llms.txt', { headers: { host } })).status, 404, host);
    assert.equal((await world.call('GET', '/llms.txt', { headers: { host: 'links.test' } })).status, 200);
  });
});
