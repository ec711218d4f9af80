import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseQuery } from '../../../src/links/choice/passed-parameters.ts';
import { readLinkAddress } from '../../../src/links/look-up/link-address.ts';
import { HOSTILE_TEXTS } from '../../../test/fixtures/hostile-texts.ts';
import { readableOn } from './draw-banner.ts';
import { createWeb } from './index.ts';
import { carriedBy, toQuery } from './parameters.ts';
import { chooseTexts } from './texts.ts';

const BASE = 'https://go.example.com';
const { link } = createWeb({ host: 'go.example.com' });

/** As the service reads it. */
function queryOf(address: string): ReadonlyMap<string, string> {
  return parseQuery(address, (text) => text);
}

describe('links of pages', () => {
  it('lead to the code, the path or the short URL, at the host with or without scheme, port and path', () => {
    for (const [host, base] of [
      ['go.example.com', BASE],
      ['https://go.example.com/', BASE],
      ['http://localhost:8080', 'http://localhost:8080'],
      ['https://example.com/tools/links', 'https://example.com/tools/links'],
    ] as const) {
      const web = createWeb({ host });
      assert.equal(web.link('spring-1_x'), `${base}/l/spring-1_x`);
      assert.equal(web.link('/summer/sale'), `${base}/summer/sale`);
      assert.equal(web.link(`${base}/l/spring`), `${base}/l/spring`);
    }
  });

  it('refuse what is no code, path or short URL of the host', () => {
    for (const code of [
      '',
      'ab',
      'a b',
      '/',
      '/a/../b',
      '/..',
      '/a//b',
      '/a?b',
      `${BASE}.evil.example/l/abc`,
    ])
      assert.throws(() => link(code), /is no code, \/path or short URL of https:\/\/go\.example\.com/, code);
    for (const text of HOSTILE_TEXTS) if (!/^[\w-]{3,64}$/.test(text)) assert.throws(() => link(text), text);
  });

  it('carry the path that the page shows, as text that the service reads, and leave out what it refuses', () => {
    const restOf = (deepLinkPath: string) => {
      const { origin, pathname, hash } = new URL(link('spring', { deepLinkPath }));
      assert.deepEqual([origin, hash], [BASE, ''], deepLinkPath);
      const address = readLinkAddress(pathname);
      assert.ok(address?.kind === 'code' && address.code === 'spring', deepLinkPath);
      return address.rest;
    };
    for (const [given, rest] of [
      ['', null],
      ['/', null],
      ['/shoes/42', 'shoes/42'],
      ['shoes//42/', 'shoes/42'],
      ['/größe 43', 'größe 43'],
      ['/gr%C3%B6%C3%9Fe%2043', 'größe 43'],
      ['/100%', '100%'],
      ['/a/%E0%A4', null],
      ['/a%00b', null],
      ['/a%5cb', null],
      ['/%252e%252e/a', null],
      ['/../../a', 'a'],
      ['/😀', '😀'],
      [`/${'x'.repeat(512)}`, 'x'.repeat(512)],
      [`/${'x'.repeat(513)}`, null],
    ] as const)
      assert.equal(restOf(given), rest, given);
    for (const text of HOSTILE_TEXTS) for (const path of [text, `/${text}`, `/a/${text}/b`]) restOf(path);
    assert.equal(link('spring', { deepLinkPath: '/shoes?size=43#top' }), `${BASE}/l/spring/shoes?size=43`);
  });

  it('carry campaigns and named parameters of the page, and no others', () => {
    const search = '?utm_source=a&utm_x=b&gclid=c&gbraid=d&wbraid=e&fbclid=f&ref=g&aff_1=h&page=2&utm=i';
    assert.deepEqual(
      carriedBy(search, ['ref', 'aff_*'], false).map(([name]) => name),
      ['utm_source', 'utm_x', 'gclid', 'gbraid', 'wbraid', 'fbclid', 'ref', 'aff_1'],
    );
    assert.deepEqual(carriedBy(search, [], false).length, 6);
  });

  it('hold hostile names and values as text, and what the page says wins over what it carries', () => {
    for (const text of HOSTILE_TEXTS.filter((each) => each.length < 65 && !/^svc_|^__proto__$/.test(each))) {
      const address = link('spring', { params: { utm_source: text, [text]: 'x' } });
      assert.equal(new URL(address).origin + new URL(address).pathname, `${BASE}/l/spring`);
      assert.equal(queryOf(address).get('utm_source'), text);
      assert.equal(queryOf(address).get(text), 'x');
      const carried = carriedBy(`?${new URLSearchParams({ utm_source: text })}`, [], false);
      assert.equal(queryOf(`?${toQuery(carried)}`).get('utm_source'), text);
    }
    assert.equal(
      toQuery([
        ['a', '1'],
        ['a', '2'],
        ['svc_click_id', 'x'],
        ['__proto__', 'x'],
      ]),
      'a=1',
    );
  });

  it('are bounded: 25 parameters, 2,000 characters, 64 of a name and 512 of a value', () => {
    const many = Array.from({ length: 100 }, (_, index) => [`utm_${index}`, 'x'] as const);
    assert.equal(queryOf(`?${toQuery(many)}`).size, 25);
    assert.equal(
      toQuery([
        ['a', 'x'.repeat(513)],
        ['b'.repeat(65), 'x'],
        ['c', 'x'.repeat(512)],
      ]).length,
      514,
    );
    const long = many.map(([name]) => [name, '😀'.repeat(50)] as const);
    assert.ok(toQuery(long).length <= 2_000);
    assert.ok(carriedBy(`?${'utm_a=1&'.repeat(100_000)}`, [], false).length < 2_000);
  });

  it('import and work without a page', () => {
    const web = createWeb({ host: 'go.example.com' });
    assert.equal(web.banner({ code: 'spring', title: 'Shop' }).absence, 'no-phone');
    web.qr('spring', null as never);
  });
});

describe('the texts of a banner', () => {
  const texts = {
    ...{ title: 'Shop', text: 'Faster in the app', language: 'en' },
    languages: { de: { title: 'Laden' }, 'pt-BR': { title: 'Loja' }, ar: { title: 'متجر' } },
  };
  it('are in the first language of the visitor that there is, and each missing one is the default', () => {
    for (const [wanted, language, title] of [
      [['de-CH', 'en'], 'de', 'Laden'],
      [['en-GB', 'de'], 'en', 'Shop'],
      [['fr', 'PT-br'], 'pt-BR', 'Loja'],
      [['pt-PT'], 'pt-BR', 'Loja'],
      [['fr'], 'en', 'Shop'],
      [[], 'en', 'Shop'],
      [['constructor', '__proto__', ''], 'en', 'Shop'],
    ] as const) {
      const chosen = chooseTexts(texts, wanted);
      assert.deepEqual([chosen.language, chosen.title, chosen.text], [language, title, texts.text]);
    }
  });

  it('can be read on each colour of the button: a contrast of at least 4.5', () => {
    const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    for (let red = 0; red < 256; red += 3)
      for (let green = 0; green < 256; green += 3)
        for (let blue = 0; blue < 256; blue += 5) {
          const color = `#${[red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('')}`;
          const luminance =
            0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
          const contrast =
            readableOn(color) === '#000' ? (luminance + 0.05) / 0.05 : 1.05 / (luminance + 0.05);
          assert.ok(contrast >= 4.5, `${color} ${contrast}`);
        }
  });
});

describe('the script for pages', () => {
  it('takes at most 5 KB with gzip', () => {
    const script = readFileSync(new URL('../dist/web.js', import.meta.url));
    assert.ok(gzipSync(script, { level: 9 }).length <= 5 * 1_024);
  });
});
