/** Random links with rules and random visitors: what each way to follow a link answers is held to one expectation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { SECOND_MS } from '../../src/lib/clock.ts';
import { ask } from './ask.ts';
import {
  checkAnswer,
  checkUrl,
  checkWinner,
  dataOf,
  type Expected,
  expected,
  passedOf,
  winnerOf,
} from './truth-expected.ts';
import { type Fields, MAC, type Rule, type TruthLink, TruthMaker, type Visitor } from './truth-links.ts';
import { freshAddress, type TestApp, type World } from './world.ts';

const NO_APP = { id: '', keys: { live: '', test: '', live_publishable: '', test_publishable: '' } };

/** Where a link answers. */
interface Place {
  readonly host: string;
  /** Without a slash at its start. */
  readonly path: string;
}

/** The world must trust one proxy, which tells where visitors are. */
export class TruthScene {
  readonly #world: World;
  #app: TestApp;
  #place: Place = { host: '', path: '' };
  #hosts = 0;
  readonly #made: TruthMaker;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#app = NO_APP;
    this.#made = new TruthMaker(seed);
  }

  /** One link and some visitors, within the limits of one app. @returns the number of comparisons. */
  async round(visitors: number): Promise<number> {
    const host = this.#made.random.next() < 0.5 ? null : `truth-${++this.#hosts}.example`;
    this.#app = await this.#world.newApp(host === null ? {} : { shortLinkHost: host });
    const fields = this.#made.link();
    const ownPath = host === null ? {} : { path: this.#made.path() };
    const { shortCode } = await this.#world.newLink(this.#app, { ...fields, ...ownPath });
    this.#place = { host: host ?? 'links.test', path: ownPath.path ?? `l/${shortCode}` };
    let compared = await this.#diagnosis(shortCode, fields);
    for (let visitor = 0; visitor < visitors; visitor++)
      compared += await this.#visit(shortCode, fields, this.#made.visitor(fields));
    return compared + (await this.#ended(shortCode, fields));
  }

  async #visit(shortCode: string, link: TruthLink, visitor: Visitor): Promise<number> {
    const address = addressOf(this.#place, visitor);
    const answer = await this.#tap(address, visitor);
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

  /** Over a real connection: only that finds links by their host. */
  #tap(
    address: string,
    { userAgent, from, headers = {} }: Pick<Visitor, 'userAgent' | 'from'> & Partial<Visitor>,
  ) {
    const sent = { 'user-agent': userAgent, 'accept-language': '', 'x-forwarded-for': from, ...headers };
    return ask(this.#world, `/${address}`, { host: this.#place.host, headers: sent });
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
    const body = { url: `http://${this.#place.host}/${address}`, openId: clickId, fingerprint };
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
    if (this.#made.random.next() < 0.5) return;
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
      const { userAgent } = diagnosed;
      const someone = { userAgent, from: '192.0.2.1', headers: { accept: 'text/html' } };
      const answer = await this.#tap(this.#place.path, someone);
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
    const visitor = { ...this.#made.visitor({ ...link, passPath: false }), headers: {} };
    const { userAgent, from } = visitor;
    const someone = { userAgent, from: '192.0.2.1' };
    const answer = await this.#tap(addressOf(this.#place, visitor), someone);
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
    assert.equal((await this.#tap(this.#place.path, someone)).status, 410);
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

function addressOf({ path: start }: Place, { query, rest }: Visitor): string {
  const path = rest.split('/').map(encodeURIComponent).join('/');
  const text = query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  return `${start}${rest === '' ? '' : `/${path}`}${text === '' ? '' : `?${text}`}`;
}
