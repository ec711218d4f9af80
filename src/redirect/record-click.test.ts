import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryOf, readSource } from './record-click.ts';

const sourceOf = (query: string, referer?: string, asked: readonly string[] = []) =>
  readSource(referer, queryOf(`/l/code?${query}`), (name) => asked.includes(name));
const bytesOf = ({ referrer, utm, query }: ReturnType<typeof sourceOf>) =>
  Buffer.byteLength([referrer, utm, query].join(''));
const parsed = (json: string | null) => JSON.parse(json ?? '{}') as Record<string, string | null>;

describe('the source of a tap', () => {
  const LONG_HOST = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example/`;
  const hostile: Record<string, string> = {
    'control characters': `a=${'%01'.repeat(1_300)}`,
    'control characters in names': `${'%1f'.repeat(700)}a=${'%7f'.repeat(600)}`,
    'quotes and backslashes': `a=${'%22%5C'.repeat(600)}`,
    'bytes that are not UTF-8': `a=${'%ff%c3'.repeat(600)}`,
    'halves of a surrogate pair': `a=${'%ed%a0%80'.repeat(400)}`,
    emoji: `a=${encodeURIComponent('😀'.repeat(300))}`,
    'full UTM values of three bytes a character': ['source', 'medium', 'campaign', 'term', 'content']
      .map((name) => `utm_${name}=${encodeURIComponent('語'.repeat(86))}`)
      .join('&'),
    'full UTM values of quotes': ['source', 'medium', 'campaign', 'term', 'content']
      .map((name) => `utm_${name}=${'%22'.repeat(128)}`)
      .join('&'),
    'many parameters': Array.from({ length: 600 }, (_, index) => `p${index}=${index}`).join('&'),
    'many empty parameters': Array.from({ length: 1_300 }, (_, index) => `${index}`).join('&'),
  };
  for (const [name, query] of Object.entries(hostile))
    it(`takes at most 1 KiB: ${name}`, () => {
      for (const referer of [undefined, LONG_HOST]) {
        const source = sourceOf(query, referer);
        assert.ok(bytesOf(source) <= 1_024, String(bytesOf(source)));
        assert.doesNotMatch(JSON.stringify(source), /\\\\u00|\p{Cc}|\\\\ud/u);
      }
    });

  it('has the UTM values and the click IDs, whatever else the address has', () => {
    const junk = Array.from({ length: 60 }, (_, index) => `junk${index}=${'x'.repeat(30)}`).join('&');
    const { utm, query } = sourceOf(`${junk}&utm_source=mail&utm_campaign=spring&gclid=${'g'.repeat(200)}`);
    assert.deepEqual(parsed(utm), {
      ...{ source: 'mail', medium: null, campaign: 'spring', term: null, content: null },
    });
    assert.equal(parsed(query).gclid, 'g'.repeat(200));
    assert.ok('junk0' in parsed(query));
  });

  it('has what the link asks for before anything but the UTM values', () => {
    const junk = Array.from({ length: 60 }, (_, index) => `junk${index}=${'x'.repeat(30)}`).join('&');
    const long = 'y'.repeat(400);
    const { query } = sourceOf(`${junk}&gclid=${'g'.repeat(700)}&coupon=${long}`, undefined, ['coupon']);
    assert.equal(parsed(query).coupon, long);
    assert.equal(parsed(query).gclid, undefined);
    const utm = sourceOf(`${junk}&utm_term=${'t'.repeat(500)}`, undefined, ['utm_term']);
    assert.equal(parsed(utm.query).utm_term, 't'.repeat(500));
  });

  it('has everything of a long address of an advertisement', () => {
    const parameters = {
      utm_source: 'google',
      utm_medium: 'cpc',
      utm_campaign: 'spring_sale_2026',
      utm_term: 'red running shoes',
      utm_content: 'banner',
      gclid: 'g'.repeat(200),
      fbclid: 'f'.repeat(200),
      sub1: 'partner-17',
    };
    const { query } = sourceOf(String(new URLSearchParams(parameters)), 'https://www.google.com/search');
    assert.deepEqual(parsed(query), parameters);
  });

  it('has UTM values of at most 128 characters, cut at a whole one', () => {
    const { utm } = sourceOf(`utm_source=${'x'.repeat(127)}${encodeURIComponent('😀')}`);
    assert.equal(parsed(utm).source, 'x'.repeat(127));
    assert.equal(parsed(sourceOf(`utm_source=${'é'.repeat(200)}`).utm).source, 'é'.repeat(128));
  });

  it('has no parameter that a limit cuts', () => {
    const { query } = sourceOf(`a=1&b=${'%20'.repeat(2_000)}`);
    assert.deepEqual(parsed(query), { a: '1' });
    assert.equal(sourceOf(`b=${'%20'.repeat(2_000)}`).query, null);
  });

  it('has the last value of a repeated parameter, and none of the prototype', () => {
    assert.equal(sourceOf('a=1&a=2&__proto__=3').query, '{"a":"2","__proto__":"3"}');
  });
});
