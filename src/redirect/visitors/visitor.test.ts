import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { readUserAgent } from '../../devices/index.ts';
import { CLAIMABLE_VISITORS, classifyVisitor, VISITOR_REASONS } from './visitor.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1';
const FACEBOOK = `${IPHONE} [FBAN/FBIOS;FBAV/540.0.0.42.101]`;

interface KnownUserAgent {
  readonly group: string;
  /** Kind, reason, platform, in-app browser, device and version. */
  readonly cells: readonly string[];
  readonly userAgent: string;
}

function readTable(): KnownUserAgent[] {
  const [, ...groups] = readFileSync('test/fixtures/user-agents.txt', 'utf8').split(/^## /m);
  return groups.flatMap((text) => {
    const [group = '', ...lines] = text.split('\n');
    return lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const parts = line.split('|').map((part) => part.trim());
        return { group, cells: parts.slice(0, 6), userAgent: parts.slice(6).join(' | ') };
      });
  });
}

const TABLE = readTable();
const classify = (headers: IncomingHttpHeaders, method = 'GET') =>
  classifyVisitor(method, { 'user-agent': IPHONE, ...headers });

describe('the table of known user agents', () => {
  it('has at least 200 distinct user agents', () => {
    assert.ok(TABLE.length >= 200, `${TABLE.length}`);
    assert.equal(new Set(TABLE.map(({ userAgent }) => userAgent)).size, TABLE.length);
  });

  for (const [group, known] of Map.groupBy(TABLE, (line) => line.group))
    it(`matches the classifier: ${group}`, () => {
      for (const { cells, userAgent } of known) {
        const { kind, reason, platform, inApp } = classify({ 'user-agent': userAgent });
        const { model, family, osVersion, ...whole } = readUserAgent(userAgent);
        assert.equal(platform, whole.platform, userAgent);
        const found = [kind, reason, platform, inApp, model ?? family, osVersion];
        assert.deepEqual(
          found.map((value) => value ?? '-'),
          cells,
          userAgent,
        );
      }
    });

  it('covers every named machine', () => {
    const seen = new Set(TABLE.map(({ cells }) => cells[1]));
    const named = VISITOR_REASONS.filter((reason) => reason.startsWith('user-agent:'));
    // The table has no `Accept`, so an unknown bot may want a page.
    seen.add('user-agent:crawler');
    assert.deepEqual(
      named.filter((reason) => !seen.has(reason)),
      [],
    );
  });
});

describe('visitors', () => {
  it('a tap without a user agent is classified as a tool', () => {
    const none = classifyVisitor('GET', {});
    assert.deepEqual([none.kind, none.reason], ['tool', 'user-agent:none']);
  });

  it('an unknown bot that accepts HTML draws a card, and is a crawler if it wants something else', () => {
    const kindOf = (userAgent: string, accept: string | undefined) =>
      classify({ 'user-agent': userAgent, accept }).kind;
    const unknown = ['GroupMeBot/1.0', 'Mozilla/5.0 (compatible; NewChatBot/1.0; +https://chat.example/bot)'];
    for (const userAgent of unknown) {
      for (const accept of [undefined, '*/*', 'text/html,*/*;q=0.8', 'text/*', 'application/xhtml+xml'])
        assert.equal(kindOf(userAgent, accept), 'preview', accept);
      for (const accept of ['', 'image/*', 'image/webp,image/png', 'application/json'])
        assert.equal(kindOf(userAgent, accept), 'crawler', accept);
    }
    for (const userAgent of ['Googlebot/2.1', 'Mozilla/5.0 (compatible; bingbot/2.0)', 'YandexBot/3.0'])
      assert.equal(kindOf(userAgent, 'text/html'), 'crawler', userAgent);
    for (const userAgent of ['curl/8.5.0', 'python-requests/2.32', 'colly/2.1.0'])
      assert.equal(kindOf(userAgent, '*/*'), 'tool', userAgent);
  });

  it('a browser that says Android in a client hint is on Android, whatever its user agent shows', () => {
    const linux =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
    const platformOf = (hint: string | undefined, userAgent = linux) =>
      classify({ 'user-agent': userAgent, 'sec-ch-ua-platform': hint }).platform;
    assert.equal(platformOf('"Android"'), 'ANDROID');
    for (const hint of [undefined, '"Linux"', '"Chrome OS"', '"Chromium OS"', '"Windows"', '', 'Android'])
      assert.equal(platformOf(hint), null, hint);
    assert.equal(platformOf('"Android"', IPHONE), 'IOS');
  });

  it('a HEAD request has kind `head`, whatever its headers', () => {
    for (const headers of [{}, { 'user-agent': 'curl/8.5.0' }, { 'sec-purpose': 'prefetch' }]) {
      const { kind, reason } = classify(headers, 'HEAD');
      assert.deepEqual([kind, reason], ['head', 'method']);
    }
  });

  it('a purpose header of a prefetch, prerender or preview gives kind `prefetch`', () => {
    for (const [name, values] of Object.entries({
      'sec-purpose': ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'],
      purpose: ['prefetch', 'preview'],
      'x-purpose': ['preview', 'Preview'],
      'x-moz': ['prefetch'],
      'x-fb-http-engine': ['Liger'],
    }))
      for (const value of values) {
        const { kind, reason } = classify({ [name]: value });
        assert.deepEqual([kind, reason], ['prefetch', name], value);
      }
  });

  it('other purpose values are ignored', () => {
    const headers = { 'sec-purpose': 'navigate', 'x-moz': 'other' };
    assert.equal(classify(headers).kind, 'human');
    assert.equal(classify({ ...headers, purpose: 'prefetch' }).reason, 'purpose');
  });

  it('a subresource or frame request has kind `embedded`', () => {
    const sent = {
      'sec-fetch-dest': ['image', 'iframe', 'frame', 'fencedframe', 'object', 'embed', 'empty', 'script'],
      'sec-fetch-mode': ['no-cors', 'cors', 'same-origin', 'nested-navigate', 'websocket'],
    };
    const malformed = ['', 'Document', 'NAVIGATE', 'document, document', 'navigate, navigate', '"document"'];
    const navigation = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    for (const [name, values] of Object.entries(sent))
      for (const value of [...values, ...malformed]) {
        const { kind, reason } = classify({ ...navigation, [name]: value });
        assert.deepEqual([kind, reason], ['embedded', name], value);
        if (value !== 'cors') assert.equal(classify({ [name]: value }).kind, 'embedded', `${value} alone`);
      }
  });

  it('a top-level navigation is human, also by script or without Fetch Metadata', () => {
    const navigation = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
    const withParameters = { 'sec-fetch-dest': 'document;a=1', 'sec-fetch-mode': 'navigate ; b' };
    const byScript = { ...navigation, 'sec-fetch-site': 'cross-site' };
    const byHand = { ...navigation, 'sec-fetch-site': 'none', 'sec-fetch-user': '?1' };
    for (const headers of [{}, navigation, withParameters, byScript, byHand])
      assert.deepEqual(classify(headers), classify({}));
  });

  it('Fetch Metadata of Node’s `fetch` does not override the user agent', async (t) => {
    const server = createServer((request, response) => response.end(JSON.stringify(request.headers)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, { headers: { 'user-agent': IPHONE } });
    assert.deepEqual(classify((await response.json()) as IncomingHttpHeaders), classify({}));
  });

  it('HEAD, prefetches and machines keep their kind in embedded requests', () => {
    const byPage = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'no-cors' };
    assert.equal(classify(byPage, 'HEAD').kind, 'head');
    assert.equal(classify({ ...byPage, 'sec-purpose': 'prefetch' }).reason, 'sec-purpose');
    assert.equal(classify({ ...byPage, 'user-agent': 'node' }).kind, 'tool');
    assert.equal(classify({ ...byPage, 'user-agent': 'Googlebot/2.1' }).kind, 'crawler');
  });

  it('prefetches and HEAD requests have platform and in-app browser', () => {
    const facebook = { platform: 'IOS', hiddenPlatform: null, inApp: 'facebook' };
    const { kind: _, reason: __, ...prefetch } = classify({ 'user-agent': FACEBOOK, 'x-purpose': 'preview' });
    assert.deepEqual(prefetch, facebook);
    const { kind: ___, reason: ____, ...head } = classify({ 'user-agent': FACEBOOK }, 'HEAD');
    assert.deepEqual(head, facebook);
  });

  it('the headers of a tap do not change later taps with the same user agent', () => {
    const before = classify({});
    classify({}, 'HEAD');
    classify({ 'x-moz': 'prefetch' });
    assert.deepEqual(classify({}), before);
  });

  it('the reason is from the closed list for hostile user agents', () => {
    for (const userAgent of [
      'constructor',
      '__proto__',
      'Evil/1.0 user-agent:curl',
      'a'.repeat(5_000),
      '\u0000',
    ])
      assert.ok(VISITOR_REASONS.includes(classify({ 'user-agent': userAgent }).reason), userAgent);
  });
});

describe('docs/internals/visitors.md', () => {
  const docs = readFileSync('docs/internals/visitors.md', 'utf8');

  it('lists every reason', () => {
    const isMissing = (name: string) => !docs.includes(`\`${name}\``);
    const missing = VISITOR_REASONS.filter(
      (reason) => isMissing(reason) && isMissing(reason.replace('user-agent:', '')),
    );
    assert.deepEqual(missing, []);
  });

  it('says for each kind whether it is counted and can be claimed', () => {
    const rows = [...docs.matchAll(/^\| `(\w+)` +\|.*\| (yes|no) +\| (yes|no) +\|$/gm)];
    assert.deepEqual(
      rows.map(([, kind]) => kind),
      ['human', 'tool', 'crawler', 'preview', 'prefetch', 'embedded', 'head'],
    );
    for (const [, kind, counted, claimable] of rows) {
      assert.equal(counted === 'yes', kind === 'human', kind);
      assert.equal(
        claimable === 'yes',
        CLAIMABLE_VISITORS.some((claimable) => claimable === kind),
        kind,
      );
    }
  });
});
