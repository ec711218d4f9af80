/** What a visitor is to get of a link, worked out apart from the service. */
import assert from 'node:assert/strict';
import { type Fields, type Platform, type Rule, SLACK, type TruthLink, type Visitor } from './truth-links.ts';

export function winnerOf({ rules }: TruthLink, name: string | null): Rule | null {
  const rule = rules.find((one) => one.name === name);
  assert.equal(rule?.name ?? null, name);
  return rule ?? null;
}

/** By chance a rule with a share may win or be passed over. */
export function checkWinner(link: TruthLink, visitor: Visitor, winner: Rule | null, about: string): void {
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

export function holds(when: Fields, { platform, version, language, country, query }: Visitor): boolean {
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

export interface ExpectedUrl {
  readonly base: string;
  readonly added: readonly (readonly [string, string])[];
  readonly rest: string;
}
export interface Expected {
  readonly campaignId: unknown;
  readonly payload: Fields;
  destinationOn(platform: Platform): ExpectedUrl;
}

export function passedOf({ passQuery }: TruthLink, { query }: Visitor): (readonly [string, string])[] {
  const isPassed = (name: string) =>
    name !== '__proto__' &&
    passQuery.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));
  return query.filter(([name]) => isPassed(name));
}

export function expected(link: TruthLink, rule: Rule | null, visitor: Visitor): Expected {
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
      if (typeof store === 'string') return { base: store, added: isWeb(store) ? passed : [], rest: '' };
      return { base: routed.fallbackUrl, added: passed, rest: visitor.rest };
    },
  };
}

function isWeb(address: string): boolean {
  return !/^(?:https:..(?:apps|play)[.]|market:|itms-apps:)/.test(address);
}

export function checkAnswer(
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

export function checkUrl(
  address: string,
  { base, added, rest }: ExpectedUrl,
  clickId: string,
  about: string,
): void {
  assert.match(address, /^[\x21-\x7e]+$/);
  const [url, from] = [new URL(address), new URL(base)];
  const referrer = url.searchParams.get('referrer');
  if (/^(?:market:|https:..play[.]google[.]com)/.test(base)) {
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

export function decodedPath(from: URL, rest: string): string {
  return `${decodeURIComponent(from.pathname).replace(/\/$/, '')}/${rest}`;
}

/** The `data-` attributes of the landing page. */
export function dataOf(page: string): Record<string, string | undefined> {
  const [body = ''] = /<body[^>]*>/.exec(page) ?? [];
  return Object.fromEntries(
    [...body.matchAll(/ data-([a-z]+)="([^"]*)"/g)].map(([, name, value = '']) => [name, unescaped(value)]),
  );
}

export function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
