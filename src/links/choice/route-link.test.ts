import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOSTILE_TEXTS } from '../../../test/fixtures/hostile-texts.ts';
import { withoutControls } from '../../lib/text.ts';
import { deepLinkPayload, type LinkRow, type ResolvedLink } from '../link.ts';
import { chooseDestination, destinationOfExpired } from './choose-destination.ts';
import { parseQuery } from './passed-parameters.ts';
import { type RoutedLink, routeLink, routeRow, type Visit } from './route-link.ts';

const LINK = {
  deepLinkPath: '/products',
  deepLinkParamsText: '{"own":1}',
  campaignId: 'own',
  minAppVersion: null,
  rules: [],
  passQuery: ['*'],
  iosDestination: null,
  androidDestination: null,
  fallbackUrl: 'https://shop.example/a/?own=1#part',
  expiredUrl: 'https://shop.example/over#part',
  goneWhenExpired: false,
} as unknown as ResolvedLink;
const visitOf = (query: string, rest: string | null = null): Visit => ({
  ...{ platform: 'OTHER', osVersion: null, language: null, country: null, atMs: 0, id: 'id', rest },
  query: parseQuery(`/l/x?${query}`, withoutControls),
});
const destination = (link: RoutedLink) => chooseDestination(link, null, null);

describe('a link as one visitor gets it', () => {
  it('is the link itself where nothing changes it', () => {
    assert.equal(routeLink(LINK, visitOf('')), LINK);
    const rules = [{ when: { country: 'DE' }, then: { campaignId: 'c' } }];
    const link = { ...LINK, rules, passQuery: ['utm_*'] };
    assert.equal(routeLink(link, visitOf('a=1')), link);
  });

  it('has the fields that the rule names, and the others of the link', () => {
    const then = { fallbackUrl: 'https://de.example/', deepLinkParams: { de: true }, campaignId: 'de' };
    const link = { ...LINK, rules: [{ name: 'Germany', when: {}, then }] };
    const routed = routeLink(link, visitOf('a=1'));
    assert.deepEqual(routed.rule?.name, 'Germany');
    assert.match(routed.rule?.id ?? '', /^[0-9a-f]{16}$/);
    assert.equal(destination(routed), 'https://de.example/?a=1');
    assert.deepEqual(deepLinkPayload(routed, true), {
      ...{ deepLinkPath: '/products', deepLinkParams: { de: true, a: '1' }, isDeferred: true },
    });
    assert.equal(routed.campaignId, 'de');
  });

  it('parameters and rest join the address before its fragment, each encoded once', () => {
    const cases: [fallbackUrl: string, query: string, rest: string, expected: string][] = [
      ['https://a.example', 'q=1', '', 'https://a.example/?q=1'],
      ['https://a.example/?', 'q=1', '', 'https://a.example/?q=1'],
      ['https://a.example/?x&', 'q=1', '', 'https://a.example/?x&q=1'],
      ['https://a.example/?x=%20+y', 'q=%20%2B', '', 'https://a.example/?x=%20+y&q=%20%2B'],
      ['https://a.example:8443/b#c?d', 'q=a%26b', 'e', 'https://a.example:8443/b/e?q=a%26b#c?d'],
      ['https://ä.example/b/', '', 'ö/p q', 'https://xn--4ca.example/b/%C3%B6/p%20q'],
      ['https://a.example/b?own=1', 'own=2&OWN=3', '', 'https://a.example/b?own=1&OWN=3'],
    ];
    for (const [fallbackUrl, query, rest, expected] of cases)
      assert.equal(destination(routeLink({ ...LINK, fallbackUrl }, visitOf(query, rest))), expected);
  });

  it('an expired link leads to expiredUrl with the parameters, without the rest, else to its fallback with both', () => {
    const visit = visitOf('q=1', 'shoes');
    const ends = (fields: Partial<ResolvedLink>) =>
      destinationOfExpired(routeLink({ ...LINK, ...fields }, visit));
    assert.equal(ends({}), 'https://shop.example/over?q=1#part');
    assert.equal(ends({ expiredUrl: null }), 'https://shop.example/a/shoes?own=1&q=1#part');
    assert.equal(ends({ expiredUrl: null, fallbackUrl: null }), null);
    assert.equal(ends({ goneWhenExpired: true }), null);
  });

  it('of more parameters than a tap keeps, only the first 100 are read', () => {
    const places = Array.from({ length: 900 }, (_, place) => place);
    const { query } = visitOf(places.map((place) => `${place}=`).join('&'));
    assert.deepEqual(
      [...query.keys()].map(Number).sort((a, b) => a - b),
      places.slice(0, 100),
    );
    assert.equal(
      visitOf(
        places
          .slice(0, 100)
          .map((place) => `${place}=`)
          .join('&'),
      ).query.size,
      100,
    );
  });

  it('a hostile parameter is a parameter in the address, and a text in the payload', () => {
    for (const text of HOSTILE_TEXTS)
      for (const [name, value] of [
        ['p', text],
        [text, 'v'],
      ] as const) {
        const routed = routeLink(LINK, visitOf(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`));
        const address = destination(routed) ?? '';
        assert.match(address, /^https:\/\/shop\.example\/a\/\?own=1[!-~]*#part$/);
        const [, ...added] = new URL(address).searchParams;
        assert.ok(added.length <= 1);
        const { deepLinkParams } = deepLinkPayload(routed, true);
        assert.deepEqual(Object.entries(deepLinkParams), [['own', 1], ...added]);
        assert.equal(Object.getPrototypeOf(deepLinkParams), Object.prototype);
        for (const [addedName, addedValue] of added)
          assert.deepEqual([addedName, addedValue], [withoutControls(name), withoutControls(value)]);
      }
  });

  it('a click tells the same as its tap: by its rule, its parameters and its rest', () => {
    const then = { deepLinkPath: '/de?x=1', campaignId: 'de' };
    const rules = [{ when: {}, then }];
    const query = 'utm_source=a&coupon=b';
    const payload = deepLinkPayload(routeLink({ ...LINK, rules }, visitOf(query, 'shoes')), true);
    const row = {
      ...{ deep_link_path: '/new', deep_link_params: '{"own":1}', campaign_id: 'new', pass_query: '["*"]' },
    } as LinkRow;
    const click = { path_rest: 'shoes', query: '{"coupon":"b"}', utm: '{"source":"a","medium":null}' };
    const routed = routeRow(row, click, { when: {}, then });
    assert.equal(routed.deep_link_path, payload.deepLinkPath);
    assert.deepEqual(JSON.parse(routed.deep_link_params), payload.deepLinkParams);
    assert.equal(routed.campaign_id, 'de');
  });
});
