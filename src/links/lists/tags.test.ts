import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../errors.ts';
import { placeIn } from './list-links.ts';
import { tagKey, tagsOf } from './tags.ts';
import { patternOf, wordsOf } from './words.ts';

describe('tags of links', () => {
  it('keep their spelling in one line, and count as one whatever the capitals, the form of letters and what nobody sees', () => {
    for (const [given, kept] of [
      [['Sale', 'SALE', ' sale '], ['Sale']],
      [['\u00fcber', 'U\u0308ber', 'Über'], ['\u00fcber']],
      [['sale\u200b', 'sale'], ['sale\u200b']],
      [['two\nlines\u202e', 'two lines'], ['two lines']],
      [
        ['👩\u200d💻', '👩'],
        ['👩\u200d💻', '👩'],
      ],
      [
        ['Весна', 'ВЕСНА', 'a,b'],
        ['Весна', 'a,b'],
      ],
    ] as const)
      assert.deepEqual(tagsOf(given), kept);
    assert.equal(tagKey('ＳＡＬＥ'), 'sale');
  });

  it('have characters that people see', () => {
    for (const tag of [' ', '\u200b', '\n', '\u202e\u2066'])
      assert.throws(
        () => tagsOf(['a', tag]),
        (error) => error instanceof AppError && /^tags\.1 must have/.test(error.message),
      );
  });
});

describe('what the list of links is searched by', () => {
  it('a whole short URL names a code, or a path at the own host; other texts name none', () => {
    const own = 'go.example.com';
    for (const [text, place] of [
      ['https://any.example/l/abc?x=1', { code: 'abc' }],
      ['any.example:8080/l/a%62c/', { code: 'abc' }],
      ['https://proxy.example/links/l/abc', { code: 'abc' }],
      ['https://go.example.com/summer/sale/?x#y', { path: 'summer/sale' }],
      ['GO.example.com/summer', { path: 'summer' }],
      ['https://proxy.example/links/l/abc/shoes/42?x=1', { code: 'abc' }],
      ['https://any.example/l/abc/shoes/42', { code: 'abc' }],
      ['https://shop.example.com/summer', undefined],
      ['https://go.example.com/', undefined],
      ['/l/abc', undefined],
      ['shop/l/abc', undefined],
      ['summer sale', undefined],
    ] as const)
      assert.deepEqual(placeIn(text, own), place, text);
    assert.equal(placeIn('https://go.example.com/summer', null), undefined);
  });

  it('no text runs into the next one, and signs of patterns are texts', () => {
    const link = {
      short_code: 'Code',
      path: null,
      campaign_id: 'A',
      deep_link_path: '/b',
      title: 'C',
      og_title: null,
    };
    assert.equal(wordsOf(link), 'code\n\na\n/b\nc\n');
    assert.equal(patternOf('100 %_\\'), '%100 \\%\\_\\\\%');
    assert.equal(patternOf('C', { ofTitles: true }), '%\n%\n%\n%\n%c%');
  });
});
