import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findListings } from './find-listings.ts';

const HOST = 'go.example.com';

const CASES: readonly (readonly [title: string, list: string, isListed: boolean])[] = [
  ['hosts file', '0.0.0.0 go.example.com', true],
  ['hosts file with several names and a comment', '127.0.0.1\tlocalhost a.test go.example.com # ads', true],
  ['hosts file with IPv6', ':: go.example.com', true],
  ['hosts file: a parent blocks no name below it', '0.0.0.0 example.com', false],
  ['hosts file: another name with the same end', '0.0.0.0 logo.example.com', false],
  ['list of domains', '# Title\n\ngo.example.com\n', true],
  ['list of domains: a parent', 'example.com', true],
  ['list of domains: wildcard', '*.example.com', true],
  ['list of domains: a whole top level is nobody’s', 'com', false],
  ['list of domains: a name below', 'x.go.example.com', false],
  ['capitals, a trailing dot and spaces', '  GO.Example.COM.  ', true],
  ['CRLF', '! x\r\n||go.example.com^\r\n', true],
  ['lines that end by CR alone', '! x\r||go.example.com^\r', true],
  ['byte order mark', '\uFEFFgo.example.com', true],
  ['no line break at the end', 'a.test\ngo.example.com', true],
  ['Adblock', '[Adblock Plus 2.0]\n||go.example.com^', true],
  ['Adblock: a parent', '||example.com^', true],
  ['Adblock: parts of a name are no parent', '||ample.com^', false],
  ['Adblock: wildcard below', '||*.example.com^', true],
  ['Adblock: of an address', '|https://go.example.com^', true],
  ['Adblock: of an address of the parent', '|https://example.com/', false],
  ['Adblock: important', '||go.example.com^$important', true],
  ['Adblock: whole documents', '||go.example.com^$document', true],
  ['Adblock: for third parties only', '||go.example.com^$third-party', false],
  ['Adblock: on some pages only', '||go.example.com^$domain=news.test', false],
  ['Adblock: a path', '||go.example.com/pixel.gif', false],
  ['Adblock: a comment', '! ||go.example.com^', false],
  ['Adblock: a cosmetic rule', 'go.example.com##.banner', false],
  ['Adblock: a cosmetic exception', 'go.example.com#@#.banner', false],
  ['Adblock: a regular expression', '/go\\.example\\.com/', false],
  ['Adblock: an exception', '||example.com^\n@@||go.example.com^', false],
  ['Adblock: an exception before the rule', '@@||go.example.com^|\n||example.com^', false],
  ['Adblock: an exception for some pages only', '||example.com^\n@@||go.example.com^$domain=a.test', true],
  [
    'Adblock: an important rule outweighs an exception',
    '||example.com^$important\n@@||go.example.com^',
    true,
  ],
  ['Adblock: an important exception', '||example.com^$important\n@@||go.example.com^$important', false],
  ['Adblock: a cancelled rule', '||go.example.com^\n||go.example.com^$badfilter', false],
  ['a line without an end', `0.0.0.0 ${'a.test '.repeat(1_000)}${HOST}`, false],
  ['an empty list', '', false],
  ['a page in place of a list', '<!doctype html><html><body>go.example.com</body></html>', false],
];

describe('block lists', () => {
  for (const [title, list, isListed] of CASES)
    it(`${title}: ${isListed ? 'listed' : 'not listed'}`, async () => {
      assert.equal((await findListings(list, [HOST]))?.has(HOST) ?? false, isListed);
    });

  const UNKNOWN = {
    dnsmasq: '# Title\nlocal=/a.test/\naddress=/go.example.com/0.0.0.0',
    'a response policy zone':
      '$TTL 30\n@ SOA localhost. root.localhost. 1 1 1 1 1\n NS localhost.\ngo.example.com CNAME .',
    Unbound: 'server:\nlocal-zone: "go.example.com." always_null',
    'comments alone': '# Title\n! Title',
  };
  for (const [syntax, list] of Object.entries(UNKNOWN))
    it(`${syntax}: no list that is read, rather than one without the host`, async () => {
      assert.equal(await findListings(list, [HOST]), null);
    });

  it('names in other scripts are compared as DNS has them', async () => {
    const host = 'xn--bcher-kva.example';
    const rules = ['||Bücher.example^', 'bücher.example', '0.0.0.0 BÜCHER.example', host];
    for (const rule of rules) assert.ok((await findListings(rule, [host]))?.has(host), rule);
  });

  it('the rule is named, cut where it is long', async () => {
    const line = `0.0.0.0 ${'a.test '.repeat(100)}${HOST}`;
    const rule = (await findListings(`||a.test^\n${line}`, [HOST, 'a.test']))?.get(HOST) ?? '';
    assert.equal(rule.length, 300);
    assert.ok(line.startsWith(rule));
  });
});
