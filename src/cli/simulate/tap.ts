/** A tap as a browser makes it: it follows the redirect, or opens the landing page and does what its script does. */
import { monotonicMs } from '../../platform/clock.ts';
import { StartError } from '../../platform/errors.ts';
import type { Phone } from './browsers.ts';
import type { Server } from './http.ts';
import type { Links, SimulatedLink } from './links.ts';
import type { Person } from './people.ts';

/** What all lives of a run share. */
export interface World {
  readonly server: Server;
  readonly links: Links;
  readonly sdkKey: string;
}

/** Where a tap led, and what the app can learn of it. */
export interface Tap {
  readonly link: SimulatedLink;
  /** What Play hands to the app after an install; null on its way to any other place. */
  readonly referrer: string | null;
  readonly clickId: string | null;
  readonly landedAt: string;
  readonly atMs: number;
}

interface Way {
  readonly campaign: string;
  /** The address that the connection comes from. */
  readonly from: string | undefined;
}

const CARD = 'a card for the chat';
const LANDS_AT = { IOS: 'apps.apple.com', ANDROID: 'play.google.com', none: 'shop.example.com' };

/** @throws StartError where the server answers this browser otherwise than it should, or sends it elsewhere. */
export async function tap(world: World, person: Person, { campaign, from }: Way): Promise<Tap> {
  const { browser, name } = person;
  const link = await world.links.linkFor(campaign, browser.phone?.platform === 'IOS' ? person : null);
  const headers: Record<string, string> = {
    'user-agent': browser.userAgent,
    accept: browser.acceptLanguage === null ? '*/*' : 'text/html,application/xhtml+xml,*/*;q=0.8',
    ...(browser.acceptLanguage !== null && { 'accept-language': browser.acceptLanguage }),
  };
  const atMs = monotonicMs();
  const path = `/l/${link.shortCode}`;
  const call = { method: 'GET', path, headers, from } as const;
  const status = browser.gets === 'redirect' ? 302 : 200;
  const answer = await world.server.ask(`${name} tapped ${path}`, call, status);
  if (browser.gets === 'card') return { link, referrer: null, clickId: null, landedAt: CARD, atMs };
  const address =
    browser.gets === 'page'
      ? await openPage(world, person, { html: answer.text, path, from })
      : answer.headers.location;
  const location = URL.parse(address ?? '');
  const expected = LANDS_AT[browser.phone?.platform ?? 'none'];
  if (location?.hostname !== expected)
    throw new StartError(
      `${name} (${browser.label}) tapped ${path} and was sent to ${address}, not to ${expected}.`,
    );
  const referrer = location.searchParams.get('referrer');
  const clickId = new URLSearchParams(referrer ?? '').get('svc_click_id');
  return { link, referrer, clickId, landedAt: expected, atMs };
}

/** Sends what the page's script would find out about the phone, and gives where the page leads on. */
async function openPage(
  { server }: World,
  { name, browser: { phone, userAgent } }: Person,
  { html, path, from }: { html: string; path: string; from: string | undefined },
): Promise<string | undefined> {
  const { click, proof, go } = dataOf(html);
  if (phone !== null && click !== undefined) {
    const headers = { 'user-agent': userAgent };
    const body = { clickId: click, proof, ...signalsOf(phone) };
    const call = { method: 'POST', path: `${path}/signals`, headers, body, from } as const;
    await server.ask(`${name}’s browser described its click`, call, 204);
  }
  return go;
}

/** Browsers tell sizes in CSS pixels. */
function signalsOf({ screenWidth, screenHeight, screenDensity, timezone, locale }: Phone) {
  return {
    screenWidth: Math.round(screenWidth / screenDensity),
    screenHeight: Math.round(screenHeight / screenDensity),
    pixelRatio: screenDensity,
    timezone,
    languages: [locale.replace('_', '-')],
  };
}

/** The `data-` attributes of a page's body. */
function dataOf(html: string): Partial<Record<string, string>> {
  const [, attributes = ''] = /<body([^>]*)>/.exec(html) ?? [];
  const unescaped = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return Object.fromEntries(
    [...attributes.matchAll(/ data-(\w+)="([^"]*)"/g)].map(([, name, value = '']) => [
      name,
      unescaped(value),
    ]),
  );
}
