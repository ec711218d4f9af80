/** Random links with rules and random visitors: what each way to follow a link answers is held to one expectation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Random } from '../../src/commands/traffic/random.ts';
import { SECOND_MS } from '../../src/lib/clock.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, type TestApp, type World } from './world.ts';

type Platform = 'IOS' | 'ANDROID' | 'OTHER';
type Fields = Record<string, unknown>;
interface Rule {
  readonly name: string;
  readonly when: Fields;
  readonly then: Fields;
}
interface TruthLink extends Fields {
  readonly fallbackUrl: string;
  readonly deepLinkPath: string;
  readonly deepLinkParams: Fields;
  readonly rules: readonly Rule[];
  readonly passQuery: readonly string[];
}
interface Visitor {
  readonly platform: Platform;
  readonly userAgent: string;
  /** Null if it is unknown. */
  readonly version: string | null;
  readonly headers: Record<string, string>;
  readonly language: string | null;
  readonly from: string;
  readonly country: string | null;
  readonly query: readonly (readonly [string, string])[];
  readonly rest: string;
}

const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const GALAXY =
  'Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.43 Mobile Safari/537.36';
const HINTS = { 'sec-ch-ua': '"Chromium";v="141"', 'sec-ch-ua-platform-version': '"15.0.0"' };
const BROWSERS = [
  { platform: 'IOS', userAgent: IPHONE, version: '17.5.1', headers: {} },
  { platform: 'ANDROID', userAgent: PIXEL, version: null, headers: {} },
  { platform: 'ANDROID', userAgent: PIXEL, version: '15.0.0', headers: HINTS },
  { platform: 'ANDROID', userAgent: GALAXY, version: '14', headers: {} },
  { platform: 'OTHER', userAgent: DESKTOP, version: null, headers: {} },
  { platform: 'OTHER', userAgent: MAC, version: null, headers: {} },
  { platform: 'OTHER', userAgent: SLACK, version: null, headers: {} },
] as const;
const LANGUAGES = [
  [null, {}],
  ['de-AT', { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }],
  ['fr-CA', { 'accept-language': 'en;q=0.5, fr-CA;q=0.7, *;q=0.9' }],
  ['pt-BR', { 'accept-language': 'pt-BR' }],
] as const;
const PLACES = [
  ['8.8.8.8', 'US'],
  ['217.0.0.1', 'DE'],
  ['192.0.2.1', null],
] as const;
const QUERIES: readonly (readonly (readonly [string, string])[])[] = [
  [],
  [['utm_source', 'poster']],
  [
    ['utm_source', 'a&b=c#d'],
    ['coupon', 'javascript:alert(1)'],
    ['own', 'theirs'],
  ],
  [
    ['coupon', '"><script>'],
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['utm_term', 'größe %41'],
  ],
];
const RESTS = ['', 'shoes', 'größe/42', 'a%b c', 'q?x=1#y'];
const STORE = 'https://apps.apple.com/app/id';
const PLAY = 'https://play.google.com/store/apps/details?id=';

const NO_APP = { id: '', keys: { live: '', test: '', live_publishable: '', test_publishable: '' } };

export class TruthScene {
  readonly #world: World;
  #app: TestApp;
  readonly #random: Random;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#app = NO_APP;
    this.#random = new Random(seed);
  }

  /** One link and some visitors, within the limits of one app. @returns the number of comparisons. */
  async round(visitors: number): Promise<number> {
    this.#app = await this.#world.newApp();
    const fields = this.#linkFields();
    const { shortCode } = await this.#world.newLink(this.#app, fields);
    let compared = await this.#diagnosis(shortCode, fields);
    for (let visitor = 0; visitor < visitors; visitor++)
      compared += await this.#visit(shortCode, fields, this.#visitor(fields));
    return compared + (await this.#ended(shortCode, fields));
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#random.between(0, values.length - 1)] as T;
  }

  #some(fields: Fields, share = 0.5): Fields {
    return Object.fromEntries(Object.entries(fields).filter(() => this.#random.next() < share));
  }

  #linkFields(): TruthLink {
    const rules = Array.from({ length: this.#random.between(0, 5) }, (_, place) => this.#rule(place));
    return {
      fallbackUrl: this.#pick([
        ...[
          'https://shop.example/a/?own=1&x=%20y#part',
          'http://shop.example:8443',
          'https://bücher.example/ä',
        ],
        'https://shop.example/list?',
      ]),
      deepLinkPath: this.#pick(['/', '/products', '/products/?own=1', 'shoes#top']),
      deepLinkParams: this.#pick<Fields>([{}, { own: 1, utm_source: 'link' }, { list: [1, { a: null }] }]),
      passQuery: this.#pick([['utm_*'], ['*'], ['coupon', 'utm_*'], []]),
      passPath: this.#random.next() < 0.5,
      rules,
      ...this.#some({
        campaignId: 'own-campaign',
        iosDestination: `${STORE}1`,
        androidDestination: `${PLAY}com.own`,
        minAppVersion: { ios: '4.2' },
        landingPage: 'never',
        expiredUrl: 'https://shop.example/over?own=1',
      }),
    };
  }

  #rule(place: number): Rule {
    const when = this.#some(
      {
        platform: this.#pick(['IOS', 'ANDROID', 'OTHER']),
        osVersion: this.#pick<Fields>([{ min: '15' }, { max: '17' }, { min: '17.5', max: '18' }]),
        language: this.#pick<string | string[]>(['de', ['fr', 'pt-BR'], 'pt-PT']),
        country: this.#pick<string | string[]>(['US', ['DE', 'AT']]),
        query: this.#pick<Fields>([{ utm_source: null }, { coupon: 'javascript:alert(1)' }]),
        from: this.#pick(['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z']),
        percent: this.#pick([0, 30, 70, 100]),
      },
      0.22,
    );
    const then = this.#some({
      iosDestination: `${STORE}${place + 10}`,
      androidDestination: `${PLAY}com.rule${place}`,
      fallbackUrl: `https://rule${place}.example/x?own=${place}`,
      deepLinkPath: `/rule/${place}`,
      deepLinkParams: { rule: place, own: 2 },
    });
    return { name: `r${place}`, when, then: { ...then, campaignId: `rule-${place}` } };
  }

  #visitor(link: TruthLink): Visitor {
    const [language, headers] = this.#pick(LANGUAGES);
    const [from, country] = this.#pick(PLACES);
    const browser = this.#pick(BROWSERS);
    return {
      ...browser,
      ...{ language, from, country, headers: { ...headers, ...browser.headers, accept: 'text/html' } },
      ...{ query: this.#pick(QUERIES), rest: link.passPath === true ? this.#pick(RESTS) : '' },
    };
  }

  async #visit(shortCode: string, link: TruthLink, visitor: Visitor): Promise<number> {
    const world = this.#world;
    const address = addressOf(shortCode, visitor);
    const { userAgent, from, headers } = visitor;
    const answer = await world.tap(address, {
      userAgent,
      from,
      headers: { 'accept-language': '', ...headers },
    });
    const click = await this.#lastClick(shortCode);
    const about = JSON.stringify({ link, visitor, click, location: answer.headers.location });
    const winner = winnerOf(link, click.ruleName);
    checkWinner(link, visitor, winner, about);
    assert.equal(click.campaignId, winner?.then.campaignId ?? link.campaignId ?? null, about);
    assert.equal(click.pathRest, visitor.rest || null, about);
    checkAnswer(answer, expected(link, winner, visitor), { ...visitor, clickId: click.id }, about);
    const found = await this.#tablet(shortCode, link, visitor, { page: answer.text, click });
    const payload = expected(link, found, visitor);
    await this.#resolved(address, visitor, { clickId: click.id, payload: expected(link, winner, visitor) });
    await this.#changed(shortCode, link);
    await this.#attributed(click.id, payload, about);
    return 6;
  }

  /** The rule of the click once the page has told that a Mac is an iPad. */
  async #tablet(
    shortCode: string,
    link: TruthLink,
    visitor: Visitor,
    { page, click }: { page: string; click: { id: string; ruleName: string | null } },
  ): Promise<Rule | null> {
    const data = dataOf(page);
    const winner = winnerOf(link, click.ruleName);
    if (visitor.userAgent !== MAC || data.proof === undefined || data.ipad === undefined) return winner;
    const signals = {
      screenWidth: 820,
      screenHeight: 1180,
      pixelRatio: 2,
      maxTouchPoints: 5,
      platform: 'IOS',
    };
    const body = { clickId: click.id, proof: data.proof, ...signals };
    const sent = await this.#world.call('POST', `/l/${shortCode}/signals`, { body });
    assert.equal(sent.status, 204, sent.text);
    const onTablet = await this.#lastClick(shortCode);
    const rule = winnerOf(link, onTablet.ruleName);
    const about = JSON.stringify({ link, visitor, onTablet, data });
    checkWinner(link, { ...visitor, platform: 'IOS', version: '18' }, rule, about);
    assert.equal(onTablet.campaignId, rule?.then.campaignId ?? link.campaignId ?? null, about);
    checkUrl(data.ipad, expected(link, rule, visitor).destinationOn('IOS'), click.id, about);
    return rule;
  }

  async #lastClick(shortCode: string) {
    const url = `/v1/clicks?shortCode=${shortCode}&visitor=all&limit=1`;
    const { status, body, text } = await this.#world.call('GET', url, { key: this.#app.keys.live });
    assert.equal(status, 200, text);
    return body[0];
  }

  async #resolved(
    address: string,
    visitor: Visitor,
    { clickId, payload }: { clickId: string; payload: Expected },
  ): Promise<void> {
    const { platform, version, language, from } = visitor;
    if (platform === 'OTHER') return;
    const fingerprint = {
      platform,
      ...(version && { osVersion: version }),
      ...(language && { locale: language }),
    };
    const body = { url: `http://links.test/l/${address}`, openId: clickId, fingerprint };
    const call = { key: this.#app.keys.live_publishable, from, body };
    const answer = await this.#world.call('POST', '/v1/sdk/resolve', call);
    assert.equal(answer.status, 200, answer.text);
    const { openId, shortCode, campaignId, ...told } = answer.body;
    assert.deepEqual(
      told,
      { ...payload.payload, isDeferred: false },
      `resolve ${JSON.stringify({ visitor })}`,
    );
    assert.equal(campaignId, payload.campaignId);
  }

  /** What is changed after the tap changes nothing of it. */
  async #changed(shortCode: string, link: TruthLink): Promise<void> {
    if (this.#random.next() < 0.5) return;
    const call = async (rules: readonly Rule[]) => {
      const answer = await this.#world.call('PATCH', `/v1/links/${shortCode}`, {
        ...{ key: this.#app.keys.live, body: { rules } },
      });
      assert.equal(answer.status, 200, answer.text);
    };
    await call([{ name: 'new', when: {}, then: { deepLinkPath: '/new', campaignId: 'new' } }]);
    await call(link.rules);
  }

  async #attributed(clickId: string, expectation: Expected, about: string): Promise<void> {
    const world = this.#world;
    const { campaignId, payload } = expectation;
    const fingerprint = { platform: 'ANDROID' };
    const body = { fingerprint, clickId };
    const key = this.#app.keys.live_publishable;
    const debug = await world.call('POST', '/v1/debug/attribution', {
      from: freshAddress(),
      body: { ...body, apiKey: this.#app.keys.live },
    });
    const install = await world.install(this.#app, body);
    const open = await world.call('POST', '/v1/sdk/open', { key, body });
    for (const { status, text, body: told } of [debug, install, open]) {
      assert.equal(status, 200, text);
      assert.equal(told.method, 'CLICK_ID', text);
      assert.equal(told.campaignId, campaignId, about);
      assert.deepEqual(told.deepLinkPayload, { ...payload, isDeferred: true }, about);
    }
    const named = await world.call('POST', '/v1/sdk/open', { key, body });
    const { shortCode, campaignId: ofLink, ...told } = named.body.deepLinkPayload;
    assert.deepEqual([ofLink, told], [campaignId, { ...payload, isDeferred: false }], about);
  }

  /** For visitors without language, country and parameters; chance is left out. */
  async #diagnosis(shortCode: string, link: TruthLink): Promise<number> {
    const key = this.#app.keys.live;
    const rules = link.rules.map(({ when, ...rule }) => ({ ...rule, when: { ...when, ...certain(when) } }));
    await this.#world.call('PATCH', `/v1/links/${shortCode}`, { key, body: { rules } });
    const { body } = await this.#world.call('GET', `/v1/links/${shortCode}/diagnosis`, { key });
    for (const diagnosed of body.visitors) {
      const headers = { accept: 'text/html', 'accept-language': '' };
      const { userAgent } = diagnosed;
      const answer = await this.#world.tap(shortCode, { userAgent, from: '192.0.2.1', headers });
      const { id, ruleName } = await this.#lastClick(shortCode);
      const leadsTo = answer.headers.location ?? dataOf(answer.text).go ?? null;
      const about = JSON.stringify({ link: { ...link, rules }, diagnosed, leadsTo });
      assert.equal(diagnosed.rule?.name ?? null, ruleName, about);
      assert.equal(diagnosed.status, answer.status, about);
      if (diagnosed.answer !== 'preview')
        assert.equal(
          String(leadsTo).replaceAll(id, 'CLICK_ID'),
          diagnosed.location ?? diagnosed.leadsTo,
          about,
        );
    }
    await this.#world.call('PATCH', `/v1/links/${shortCode}`, { key, body: { rules: link.rules } });
    return body.visitors.length;
  }

  async #ended(shortCode: string, link: TruthLink): Promise<number> {
    const expiresAt = new Date(this.#world.clock.nowMs() - SECOND_MS).toISOString();
    const key = this.#app.keys.live;
    await this.#world.call('PATCH', `/v1/links/${shortCode}`, { key, body: { expiresAt } });
    const visitor = { ...this.#visitor({ ...link, passPath: false }), headers: {} };
    const { userAgent, from } = visitor;
    const tap = { userAgent, from: '192.0.2.1', headers: { 'accept-language': '' } };
    const answer = await this.#world.tap(addressOf(shortCode, visitor), tap);
    const about = JSON.stringify({ link, visitor, from, location: answer.headers.location });
    assert.equal(answer.status, 302, about);
    if (typeof link.expiredUrl === 'string')
      checkUrl(
        String(answer.headers.location),
        { base: link.expiredUrl, added: passedOf(link, visitor), rest: '' },
        '',
        about,
      );
    await this.#world.call('PATCH', `/v1/links/${shortCode}`, { key, body: { goneWhenExpired: true } });
    assert.equal((await this.#world.tap(shortCode, tap)).status, 410);
    return 2;
  }
}

/** @returns a seed that a failure is repeated with. */
export function newSeed(): number {
  return Number.parseInt(process.env.SEED ?? randomUUID().slice(0, 7), 16);
}

function certain({ percent }: Fields): Fields {
  return typeof percent === 'number' ? { percent: percent < 50 ? 0 : 100 } : {};
}

function addressOf(shortCode: string, { query, rest }: Visitor): string {
  const path = rest.split('/').map(encodeURIComponent).join('/');
  const text = query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `${shortCode}${rest === '' ? '' : `/${path}`}${text === '' ? '' : `?${text}`}`;
}

function winnerOf({ rules }: TruthLink, name: string | null): Rule | null {
  const rule = rules.find((one) => one.name === name);
  assert.equal(rule?.name ?? null, name);
  return rule ?? null;
}

/** By chance a rule with a share may win or be passed over. */
function checkWinner(link: TruthLink, visitor: Visitor, winner: Rule | null, about: string): void {
  for (const rule of link.rules) {
    const { percent = 100 } = rule.when as { percent?: number };
    const may = holds(rule.when, visitor) && percent > 0;
    if (rule === winner) {
      assert.ok(may, `${rule.name} won: ${about}`);
      return;
    }
    assert.ok(!may || percent < 100, `${rule.name} was passed over: ${about}`);
  }
  assert.equal(winner, null, about);
}

function holds(when: Fields, { platform, version, language, country, query }: Visitor): boolean {
  const wanted = (name: string) => [when[name] as string | string[]].flat();
  const { osVersion } = when as { osVersion?: { min?: string; max?: string } };
  const parameters = Object.entries((when.query ?? {}) as Record<string, string | null>);
  const isVersion = ({ min, max }: { min?: string; max?: string }) =>
    version !== null &&
    (min === undefined || Number.parseFloat(version) >= Number.parseFloat(min)) &&
    // `18` stands for any 18.
    (max === undefined || Math.floor(Number.parseFloat(version)) <= Number.parseFloat(max)) &&
    !(min?.includes('.') && version === '18' && Number.parseFloat(min) > 18);
  return (
    (when.platform ?? platform) === platform &&
    (osVersion === undefined || isVersion(osVersion)) &&
    (when.language === undefined ||
      wanted('language').some((one) => language === one || language?.startsWith(`${one}-`))) &&
    (when.country === undefined || (country !== null && wanted('country').includes(country))) &&
    parameters.every(([name, value]) => query.some(([n, v]) => n === name && (value ?? v) === v)) &&
    when.from !== '2099-01-01T00:00:00Z'
  );
}

interface ExpectedUrl {
  readonly base: string;
  readonly added: readonly (readonly [string, string])[];
  readonly rest: string;
}
interface Expected {
  readonly campaignId: unknown;
  readonly payload: Fields;
  destinationOn(platform: Platform): ExpectedUrl;
}

function passedOf({ passQuery }: TruthLink, { query }: Visitor): (readonly [string, string])[] {
  const isPassed = (name: string) =>
    name !== '__proto__' &&
    passQuery.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  return query.filter(([name]) => isPassed(name));
}

function expected(link: TruthLink, rule: Rule | null, visitor: Visitor): Expected {
  const routed = { ...link, ...rule?.then } as TruthLink;
  const passed = passedOf(link, visitor);
  const params = new Map<string, unknown>([...passed, ...Object.entries(routed.deepLinkParams)]);
  const [path = '', tail = ''] = routed.deepLinkPath.split(/(?=[?#])/, 2);
  const rest = visitor.rest.replaceAll('?', '%3F').replaceAll('#', '%23');
  return {
    campaignId: routed.campaignId ?? null,
    payload: {
      deepLinkPath: visitor.rest === '' ? routed.deepLinkPath : `${path.replace(/\/$/, '')}/${rest}${tail}`,
      deepLinkParams: Object.fromEntries(params),
      ...(link.minAppVersion !== undefined && { minAppVersion: link.minAppVersion }),
    },
    destinationOn(platform) {
      const own = { IOS: 'iosDestination', ANDROID: 'androidDestination', OTHER: '' }[platform];
      const store = routed[own];
      if (typeof store === 'string') return { base: store, added: [], rest: '' };
      return { base: routed.fallbackUrl, added: passed, rest: visitor.rest };
    },
  };
}

function checkAnswer(
  answer: { status: number; headers: Fields; text: string },
  expectation: Expected,
  { platform, userAgent, clickId }: Visitor & { clickId: string },
  about: string,
): void {
  const [, anchor] = /<li><a href="([^"]+)">Continue/.exec(answer.text) ?? [];
  const address =
    userAgent === SLACK ? unescaped(anchor ?? '') : (answer.headers.location ?? dataOf(answer.text).go);
  assert.ok(typeof address === 'string', `${answer.status} leads nowhere: ${about}`);
  checkUrl(address, expectation.destinationOn(platform), clickId, about);
}

function checkUrl(address: string, { base, added, rest }: ExpectedUrl, clickId: string, about: string): void {
  assert.match(address, /^[\x21-\x7e]+$/);
  const [url, from] = [new URL(address), new URL(base)];
  const referrer = url.searchParams.get('referrer');
  if (base.startsWith(PLAY)) {
    assert.equal(referrer, `svc_click_id=${clickId}`, about);
    url.searchParams.delete('referrer');
  }
  const path = rest === '' ? from.pathname : `${from.pathname.replace(/\/$/, '')}/${rest}`;
  assert.deepEqual([url.origin, url.hash], [from.origin, from.hash], about);
  assert.equal(
    decodeURIComponent(url.pathname),
    rest === '' ? decodeURIComponent(path) : decodedPath(from, rest),
    about,
  );
  const own = [...from.searchParams];
  const more = added.filter(([name]) => !from.searchParams.has(name));
  assert.deepEqual([...url.searchParams], [...own, ...more], about);
}

function decodedPath(from: URL, rest: string): string {
  return `${decodeURIComponent(from.pathname).replace(/\/$/, '')}/${rest}`;
}

/** The `data-` attributes of the landing page. */
export function dataOf(page: string): Record<string, string | undefined> {
  const [body = ''] = /<body[^>]*>/.exec(page) ?? [];
  return Object.fromEntries(
    [...body.matchAll(/ data-([a-z]+)="([^"]*)"/g)].map(([, name, value = '']) => [name, unescaped(value)]),
  );
}

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
