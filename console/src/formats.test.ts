import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFullMoment, formatMoney, localeOf } from './formats.ts';

describe('formats of the console', () => {
  it('an amount has the decimals of its currency, and up to four where it needs them', () => {
    for (const [amount, currency, text] of [
      ['12.5000', 'EUR', /12\.50/],
      ['0.0005', 'EUR', /0\.0005/],
      ['9.9950', 'USD', /9\.995$/],
      ['1250.0000', 'JPY', /1,250$/],
      ['0.5000', 'JPY', /0\.5$/],
      ['1.2340', 'KWD', /1\.234$/],
      ['2.0000', 'KWD', /2\.000$/],
      ['0.0000', 'EUR', /0\.00$/],
    ] as const)
      assert.match(formatMoney({ amount, currency }), text, `${amount} ${currency}`);
    assert.match(formatMoney({ amount: '1250.5000', currency: 'KWD' }, 0), /1,25[01]$/);
  });

  it('a language that is no tag of BCP 47 counts as English, and others stay', async () => {
    for (const [language, locale] of [
      ['de-AT', 'de-AT'],
      ['en-US@posix', 'en'],
      ['C.UTF-8', 'en'],
      ['de_AT', 'en'],
      ['', 'en'],
    ] as const)
      assert.equal(localeOf(language), locale, language);
    const own = Object.getOwnPropertyDescriptor(globalThis.navigator, 'language');
    Object.defineProperty(globalThis.navigator, 'language', { value: 'en-US@posix', configurable: true });
    try {
      const again: typeof import('./formats.ts') = await import(`./formats.ts?${Date.now()}`);
      assert.equal(again.formatCount(1250), '1,250');
    } finally {
      if (own === undefined) Reflect.deleteProperty(globalThis.navigator, 'language');
      else Object.defineProperty(globalThis.navigator, 'language', own);
    }
  });

  it('a full moment has its day, year, time and zone', () => {
    assert.match(formatFullMoment('2026-11-26T01:40:17Z'), /2026.*\d{2}:\d{2}:17.*(UTC|GMT|[A-Z]{3,4})/);
  });
});
