import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES, textsFor } from './texts.ts';

describe('the language of a landing page', () => {
  for (const [header, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.5, fr;q=0.9', 'fr'],
    ['tlh, hi;q=0.3', 'hi'],
    ['pt-BR', 'pt'],
    ['zh-Hant-TW;q=0.9, ja;q=0.8', 'zh'],
    ['ES-mx', 'es'],
    ['de;q=0, ru;q=0.1', 'ru'],
    ['de;q=2, ru', 'ru'],
    ['fr; q = 0.4 , ar ;q=0.7', 'ar'],
    ['x'.repeat(10_000), 'en'],
    [`${'xx,'.repeat(1_000)}de`, 'en'],
  ] as const)
    it(`is ${language} for ${JSON.stringify(header?.slice(0, 40))}`, () => {
      assert.equal(textsFor(header).language, language);
    });

  it('has no empty translation', () => {
    assert.ok(LANGUAGES.length >= 12);
    for (const language of LANGUAGES)
      for (const [name, text] of Object.entries(textsFor(language)))
        assert.notEqual(text, '', `${language} ${name}`);
  });

  it('is right-to-left for Arabic and Urdu', () => {
    const rightToLeft = LANGUAGES.filter((language) => textsFor(language).direction === 'rtl');
    assert.deepEqual(rightToLeft, ['ar', 'ur']);
  });
});
