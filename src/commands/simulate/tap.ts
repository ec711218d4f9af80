/** A tap as a browser makes it: follows the redirect, or opens the landing page and posts the signals of its script. */

import { StartError } from '../../errors.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Client } from './clients.ts';
import type { Server } from './http.ts';
import type { Links, SimulatedLink } from './links.ts';
import type { Person } from './people.ts';

export interface Simulation {
  readonly server: Server;
  readonly links: Links;
  readonly sdkKey: string;
}

export interface Tap {
  readonly link: SimulatedLink;
  /** Play's install referrer; null for other destinations. */
  readonly referrer: string | null;
  readonly clickId: string | null;
  readonly landedAt: string;
  readonly atMs: number;
}

const CARD = 'a preview card';
const LANDS_AT = { IOS: 'apps.apple.com', ANDROID: 'play.google.com', none: 'shop.example.com' };

const STATUSES: Readonly<Record<Client['expects'], readonly number[]>> = {
  ...{ redirect: [302], page: [200], card: [200] },
  'redirect or page': [302, 200],
};

/** @param from local address of the connection. @throws StartError for an unexpected response or destination. */
export async function tap(
  simulation: Simulation,
  person: Person,
  { campaign, from }: { campaign: string; from: string | undefined },
): Promise<Tap> {
  const { client, name } = person;
  const link = await simulation.links.linkFor(campaign, client.phone?.platform === 'IOS' ? person : null);
  const headers: Record<string, string> = {
    'user-agent': client.userAgent,
    accept: client.signals === null ? '*/*' : 'text/html,application/xhtml+xml,*/*;q=0.8',
    ...(client.acceptLanguage !== null && { 'accept-language': client.acceptLanguage }),
  };
  const atMs = monotonicMs();
  const path = `/l/${link.shortCode}`;
  const call = { method: 'GET', path, headers, from } as const;
  const response = await simulation.server.expect(
    `${name} tapped ${path}`,
    call,
    ...STATUSES[client.expects],
  );
  if (client.expects === 'card') return { link, referrer: null, clickId: null, landedAt: CARD, atMs };
  const address =
    response.status === 200
      ? await openPage(simulation, person, { html: response.text, path, from })
      : response.headers.location;
  const location = URL.parse(address ?? '');
  const expected = LANDS_AT[client.phone?.platform ?? 'none'];
  if (location?.hostname !== expected)
    throw new StartError(
      `${name} (${client.label}) tapped ${path} and was sent to ${address}, not to ${expected}.`,
    );
  const referrer = location.searchParams.get('referrer');
  const clickId = new URLSearchParams(referrer ?? '').get('svc_click_id');
  return { link, referrer, clickId, landedAt: expected, atMs };
}

/** Posts the signals that the page's script would collect. Returns the page's destination. */
async function openPage(
  { server }: Simulation,
  { name, client: { signals, userAgent } }: Person,
  { html, path, from }: { html: string; path: string; from: string | undefined },
): Promise<string | undefined> {
  const { click, proof, go } = dataOf(html);
  if (signals !== null && click !== undefined) {
    const headers = { 'user-agent': userAgent };
    const body = { clickId: click, proof, ...signals };
    const call = { method: 'POST', path: `${path}/signals`, headers, body, from } as const;
    await server.expect(`${name}’s browser sent its signals`, call, 204);
  }
  return go;
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
