import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, Asked, Verdict } from './answer.ts';
import { compare } from './compare.ts';

const asked = (answer: Answer): Asked => ({ answer, status: 200, hops: [] });
const leads = (to: string): Answer => ({ kind: 'leads', to });
const card = (
  title: string | null,
  description: string | null = null,
  image: string | null = null,
): Answer => ({
  kind: 'card',
  at: 'https://shop.example/sale',
  card: { title, description, image },
});
const page = (...addresses: string[]): Answer => ({ kind: 'page', at: 'https://go.example/x', addresses });
const ENDED: Answer = { kind: 'ended' };
const SILENT: Answer = { kind: 'unreachable', why: 'The old service answered 500.' };
const SHOP = 'https://shop.example/sale';

const CASES: readonly (readonly [old: Answer, now: Answer, Verdict, note: RegExp])[] = [
  [leads(SHOP), leads(`${SHOP}/?gclid=1`), 'equal', /^$/],
  [
    leads(`${SHOP}?utm_source=qr`),
    leads(SHOP),
    'equal',
    /^Other utm parameters: old utm_source=qr, new none\.$/,
  ],
  [leads(SHOP), leads('https://shop.example/'), 'different', /^$/],
  [leads(SHOP), ENDED, 'only old', /no such link/],
  [ENDED, leads(SHOP), 'only new', /ended/],
  [ENDED, ENDED, 'equal', /^Ended at both/],
  [SILENT, leads(SHOP), 'old unreachable', /500/],
  [SILENT, ENDED, 'old unreachable', /500/],
  [
    page('https://apps.apple.com/app/id1'),
    leads('https://apps.apple.com/de/app/x/id1?ct=2'),
    'equal',
    /names/,
  ],
  [page('https://go.example/terms'), leads(SHOP), 'different', /does not name/],
  [page(), page(), 'different', /Both are pages/],
  [page(), ENDED, 'only old', /no such link/],
  [leads(SHOP), page(), 'different', /without a destination/],
  [card('Sale', 'Until Sunday'), card('Sale', 'Until Sunday'), 'equal', /^$/],
  [card('Sale'), card('Sale', 'Opens in the app Shop'), 'equal', /^$/],
  [card('Sale'), card('Shop'), 'different', /^Another card: title “Sale”, now “Shop”\.$/],
  [card('Sale', null, 'https://shop.example/a.png'), card('Sale'), 'different', /image “.*a\.png”, now “”/],
  [card('x'.repeat(100)), card('Shop'), 'different', /“x{79}…”/],
  [card('Sale'), leads(`${SHOP}/`), 'equal', /^$/],
  [leads(SHOP), card('Sale'), 'old unreachable', /its card is not known/],
];

describe('a comparison', () => {
  for (const [old, now, verdict, note] of CASES)
    it(`of ${JSON.stringify(old)} and ${JSON.stringify(now)} is “${verdict}”`, () => {
      const found = compare(asked(old), asked(now));
      assert.equal(found.verdict, verdict);
      assert.match(found.note, note);
    });

  it('of two destinations that lead to one place is “equal”', () => {
    assert.equal(compare(asked(leads(SHOP)), asked(leads('https://shop.example/')), true).verdict, 'equal');
  });
});
