import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LinkRule } from '@generated/types.gen.ts';
import { chooseRule } from '../../../../../src/links/choice/rules.ts';
import {
  copyOf,
  draftOf,
  isoOf,
  localOf,
  newDraft,
  type RuleDraft,
  ruleOf,
  wrongIn,
  wrongPercent,
} from './draft.ts';
import { codeOf } from './places.ts';
import {
  outcomeOf,
  type TriedLink,
  tryRules,
  USUAL,
  usualVersion,
  type Visitor,
  visitOf,
} from './try-rules.ts';
import { ruleSentence } from './words.ts';

const VISITOR: Visitor = {
  ...{
    platform: 'IOS',
    osVersion: '17.5',
    language: 'de-AT',
    country: 'AT',
    query: 'ref=mail&utm_source=wall',
  },
  at: '2026-12-10T12:00:00Z',
};
const THEN = { deepLinkPath: '/at' };
const LINK: TriedLink = {
  ...{ deepLinkPath: '/sale', deepLinkParams: { ref: 'link' }, campaignId: 'spring' },
  ...{ iosDestination: null, androidDestination: null, fallbackUrl: 'https://shop.example/?utm_source=own' },
  ...{ passQuery: ['utm_*', 'ref'], expiresAt: null, expiredUrl: null, goneWhenExpired: false },
};
const APP = { iosDestination: 'https://apps.apple.com/app/id1', androidDestination: null, fallbackUrl: null };

describe('rules in the form of a link', () => {
  it('a rule is one sentence in the words that people use', () => {
    for (const [when, then, sentence] of [
      [
        { platform: 'IOS', osVersion: { min: '17' }, country: 'AT' },
        { iosDestination: 'https://shop.example/at' },
        'iPhones and iPads with iOS 17 or later in Austria go to shop.example/at.',
      ],
      [
        { language: ['de', 'fr'] },
        { deepLinkPath: '/new', campaignId: 'new' },
        'Everybody who prefers German or French gets /new in the app and counts for the campaign new.',
      ],
      [{ percent: 12.5 }, { deepLinkPath: '/b' }, '12.5% of all visitors get /b in the app.'],
      [
        { percent: 20, country: ['AT', 'CH'] },
        THEN,
        '20% of those in Austria or Switzerland get /at in the app.',
      ],
      [
        { platform: 'OTHER', query: { ref: 'mail', gclid: null } },
        { fallbackUrl: 'https://shop.example/' },
        'Computers and other devices with ref=mail and gclid in the address go to shop.example.',
      ],
      [
        { platform: 'ANDROID', osVersion: { min: '12', max: '14' } },
        { fallbackUrl: 'https://shop.example/old' },
        'Android phones with Android 12 to 14 go to shop.example/old if neither link nor app has a place for them.',
      ],
      [{}, {}, 'Everybody gets nothing else yet.'],
    ] as const) {
      assert.equal(ruleSentence({ when, then } as unknown as LinkRule, 0), sentence);
    }
  });

  it('a share of a later rule is one of those whom earlier rules leave', () => {
    for (const [when, place, sentence] of [
      [{ percent: 20 }, 0, '20% of all visitors get /at in the app.'],
      [{ percent: 20 }, 1, '20% of the others get /at in the app.'],
      [{ percent: 20, country: 'AT' }, 2, '20% of the others in Austria get /at in the app.'],
      [{ percent: 20, platform: 'ANDROID' }, 1, '20% of the remaining Android phones get /at in the app.'],
      [{ country: 'AT' }, 1, 'Everybody in Austria gets /at in the app.'],
    ] as const)
      assert.equal(ruleSentence({ when, then: THEN }, place), sentence);
  });

  it('what is stored is sent as it was stored, and what is changed has every condition and outcome', () => {
    const rule: LinkRule = {
      then: { deepLinkParams: { b: 1, a: [2] }, iosDestination: 'https://shop.example', campaignId: 'a' },
      name: 'All of them',
      when: {
        ...{
          percent: 30,
          platform: 'IOS',
          osVersion: { max: '17', min: '15' },
          language: 'de',
          country: ['AT'],
        },
        ...{
          query: { ref: 'mail', gclid: null },
          from: '2026-10-25T01:30:00.000Z',
          to: '2026-12-01T00:00:01.500Z',
        },
      },
    };
    const draft = draftOf(rule);
    assert.equal(ruleOf(draft), rule);
    assert.deepEqual(ruleOf({ ...draft, name: ' Mine ' }), {
      ...rule,
      name: 'Mine',
      when: { ...rule.when, language: ['de'] },
    });
    assert.equal(ruleOf(copyOf(draft)).name, 'All of them (copy)');
    for (const time of ['2026-06-01T08:00:00.000Z', '2026-12-01T00:00:01.500Z', '2026-12-01T00:00:01.000Z'])
      assert.equal(isoOf(localOf(time)), time);
    assert.match(localOf('2026-06-01T08:00:00.000Z'), /^2026-06-01T\d\d:00$/);
    assert.equal(isoOf(''), '');
  });

  it('what is incomplete is named with its field before anything is sent', () => {
    const draft = (change: Partial<RuleDraft>): RuleDraft => ({
      ...draftOf({ when: {}, then: THEN }),
      ...change,
    });
    for (const [rule, field] of [
      [newDraft(), 'then.fallbackUrl'],
      [draft({ when: { osVersion: { min: '', max: ' ' } } }), 'when.osVersion.min'],
      [draft({ when: { osVersion: { min: '17', max: 'newest' } } }), 'when.osVersion.max'],
      [draft({ when: { language: [] } }), 'when.language'],
      [draft({ when: { country: [] } }), 'when.country'],
      [draft({ when: { query: [{ name: ' ', value: '' }] } }), 'when.query.0'],
      [
        draft({
          when: {
            query: [
              { name: 'ref', value: '' },
              { name: 'ref', value: null },
            ],
          },
        }),
        'when.query.1',
      ],
      [draft({ when: { time: { from: '', to: '' } } }), 'when.from'],
      [draft({ when: { time: { from: VISITOR.at, to: VISITOR.at } } }), 'when.to'],
      [draft({ when: { percent: '' } }), 'when.percent'],
      [draft({ when: { percent: '101' } }), 'when.percent'],
      [draft({ then: { ...newDraft().then, deepLinkParams: '[1]' } }), 'then.deepLinkParams'],
    ] as const) {
      const wrong = wrongIn([draft({}), rule]);
      assert.equal(wrong?.field, `rules.1.${field}`);
      assert.ok(wrong.text.endsWith('.'));
    }
    assert.equal(wrongIn([draft({})]), null);
  });

  it('names of countries and languages are found in any case, former countries are not, and other tags are kept', () => {
    for (const [kind, text, code] of [
      ['country', ' austria ', 'AT'],
      ['country', 'at', 'AT'],
      ['country', 'DD', null],
      ['country', 'Atlantis', null],
      ['language', 'German', 'de'],
      ['language', 'pt_BR', 'pt-BR'],
      ['language', 'de-LI', 'de-LI'],
      ['language', 'Klingonese', null],
    ] as const)
      assert.equal(codeOf(kind, text), code, text);
  });
});

describe('the tester of rules', () => {
  it('names every condition that keeps a rule from a visitor, and no other', () => {
    const reasonOf = (when: LinkRule['when']) => tryRules([{ when, then: THEN }], VISITOR).reasons[0];
    for (const [when, reason] of [
      [{}, null],
      [{ language: 'de', country: 'AT', osVersion: { min: '17', max: '17' } }, null],
      [{ platform: 'ANDROID' }, /^It is for Android phones\.$/],
      [{ osVersion: { min: '18' } }, /18 or later, not for 17\.5/],
      [{ language: 'fr', country: 'AT' }, /^It is for those who prefer French, not Austrian German\.$/],
      [
        { country: 'DE', query: { ref: 'post' } },
        /in Germany, not in Austria; it is for those with ref=post/,
      ],
      [{ from: '2026-12-11T00:00:00Z' }, /it begins/i],
      [{ to: '2026-12-10T12:00:00Z' }, /it was over/i],
      [{ percent: 0 }, /0 %/],
    ] as const)
      reason === null ? assert.equal(reasonOf(when), null) : assert.match(reasonOf(when) ?? '', reason);
  });

  it('usual Android visitors come first without a version, since Chrome tells none at the first tap', () => {
    const rules: LinkRule[] = [{ when: { platform: 'ANDROID', osVersion: { min: '8' } }, then: THEN }];
    const got = USUAL.filter(({ platform }) => platform === 'ANDROID').map((usual) => [
      usual.name,
      tryRules(rules, { ...VISITOR, ...usual }).shares[0]?.place,
    ]);
    assert.deepEqual(got, [
      ['Android, Chrome, first tap (version not told)', null],
      ['Android 15 (version told)', 0],
      ['Android 10 (version told)', 0],
    ]);
    assert.deepEqual((['IOS', 'ANDROID', 'OTHER'] as const).map(usualVersion), ['18.5', '', '']);
  });

  it('a rule that the service would refuse has no visitors, and the tester says why', () => {
    const draft = draftOf({ when: {}, then: THEN });
    for (const [when, text] of [
      [{ percent: '5020' }, /from 0 to 100/],
      [{ percent: '-5' }, /from 0 to 100/],
      [{ percent: '' }, /from 0 to 100/],
      [{ osVersion: { min: 'newest', max: '' } }, /numbers with dots/],
      [{ language: [] }, /Choose a language/],
      [{ time: { from: '2026-12-01T00:00:00Z', to: '2026-11-01T00:00:00Z' } }, /later than the beginning/],
    ] as const) {
      const drafts: RuleDraft[] = [{ ...draft, when }, draft];
      const { shares, reasons } = tryRules(
        drafts.map(ruleOf),
        VISITOR,
        drafts.map((each) => wrongIn([each])?.text ?? null),
      );
      assert.deepEqual(shares, [{ place: 1, percent: 100 }], JSON.stringify(when));
      assert.match(reasons[0] ?? '', text);
    }
    assert.match(ruleSentence({ when: { percent: 5020 }, then: THEN }, 0), /^… of all visitors/);
    assert.deepEqual(['', '0', '100', '12.5'].map(wrongPercent), [null, null, null, null]);
    assert.ok(['101', '-1', 'x'].every((typed) => wrongPercent(typed) !== null));
  });

  it('shares are what the service draws: they add up to 100, and later rules share what earlier ones leave', () => {
    const rules: LinkRule[] = [
      { when: { percent: 20 }, then: THEN },
      { when: { percent: 50, country: 'DE' }, then: THEN },
      { when: { percent: 50 }, then: THEN },
    ];
    const { shares } = tryRules(rules, VISITOR);
    assert.deepEqual(shares, [
      { place: 0, percent: 20 },
      { place: 2, percent: 40 },
      { place: null, percent: 40 },
    ]);
    const drawn = new Map<number | null, number>();
    const taps = 4_000;
    for (let id = 0; id < taps; id++) {
      const place = chooseRule(rules, { ...visitOf(VISITOR), id: `tap-${id}` });
      drawn.set(place, (drawn.get(place) ?? 0) + 1);
    }
    for (const { place, percent } of shares)
      assert.ok(Math.abs(((drawn.get(place) ?? 0) / taps) * 100 - percent) < 3, `${place}`);
    const all = tryRules(
      [
        { when: {}, then: THEN },
        { when: {}, then: THEN },
      ],
      VISITOR,
    );
    assert.deepEqual(all.shares, [{ place: 0, percent: 100 }]);
    assert.equal(all.reasons[1], 'Earlier rules have all of them.');
  });

  it('shows where a visitor arrives, with what the tap carries on, and after the end of the link', () => {
    const computer: Visitor = { ...VISITOR, platform: 'OTHER' };
    const ended = { ...LINK, expiresAt: VISITOR.at };
    for (const [link, rule, visitor, destination] of [
      [LINK, null, VISITOR, 'https://apps.apple.com/app/id1'],
      [LINK, null, computer, 'https://shop.example/?utm_source=own&ref=mail'],
      [
        LINK,
        { when: {}, then: { fallbackUrl: 'https://at.example/' } },
        computer,
        'https://at.example/?ref=mail&utm_source=wall',
      ],
      [ended, null, VISITOR, 'https://shop.example/?utm_source=own&ref=mail'],
      [
        { ...ended, expiredUrl: 'https://over.example/', passQuery: [] },
        null,
        VISITOR,
        'https://over.example/',
      ],
      [{ ...ended, goneWhenExpired: true }, null, VISITOR, null],
      [{ ...LINK, fallbackUrl: null }, null, computer, null],
    ] satisfies [TriedLink, LinkRule | null, Visitor, string | null][])
      assert.equal(outcomeOf(link, rule, APP, visitor).destination, destination);
    const { deepLinkPath, deepLinkParams, campaignId } = outcomeOf(
      LINK,
      { when: {}, then: THEN },
      APP,
      VISITOR,
    );
    assert.deepEqual(
      [deepLinkPath, deepLinkParams, campaignId],
      ['/at', { ref: 'link', utm_source: 'wall' }, 'spring'],
    );
  });
});
