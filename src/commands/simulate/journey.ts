/** One person's journey: tap, install, events, open. The true click is known, so each attribution can be judged. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Method } from '../../attribution/index.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Client } from './clients.ts';
import type { Person } from './people.ts';
import { type Simulation, type Tap, tap } from './tap.ts';

/** Wrong: attributed to another person's click. Missed: organic in spite of a tap. */
export type Verdict = 'right' | 'wrong' | 'missed';

type Phone = NonNullable<Client['phone']>;

interface Attribution {
  readonly method: Method;
  readonly installId: string;
  readonly clickId: string | null;
  readonly campaignId: string | null;
  readonly confidence: string | null;
  readonly deepLinkPayload: { deepLinkPath: string; deepLinkParams: Record<string, unknown> } | null;
}

/** `secondsAfterTap` is null without a tap. */
export interface JudgedAttribution extends Attribution {
  readonly verdict: Verdict;
  readonly secondsAfterTap: number | null;
}

/** No install without a phone; no open for a person who does not return. */
export interface Journey {
  readonly person: Person;
  /** Host of the last tap's destination, or the preview card. */
  readonly landedAt: string | null;
  readonly taps: number;
  readonly install: JudgedAttribution | null;
  readonly open: JudgedAttribution | null;
  readonly events: number;
  readonly identified: boolean;
}

/** From a tap to the first start of the app; shortened, since a download takes longer. */
const INSTALL_AFTER_MS = [600, 900, 1_300, 1_700] as const;
const SECOND_TAP_AFTER_MS = 250;
/** Play's install referrer without a campaign. */
const ORGANIC_REFERRER = 'utm_source=google-play&utm_medium=organic';

/** Takes some seconds. @throws StartError for an unexpected response. */
export async function runJourney(simulation: Simulation, person: Person): Promise<Journey> {
  const taps: Tap[] = [];
  for (let count = 0; count < person.taps; count++) {
    if (count > 0) await sleep(SECOND_TAP_AFTER_MS);
    taps.push(await tap(simulation, person, { campaign: person.campaign, from: person.address }));
  }
  const landedAt = taps.at(-1)?.landedAt ?? null;
  const { phone } = person.client;
  const nothing = { install: null, open: null, events: 0, identified: false };
  if (phone === null) return { person, landedAt, taps: taps.length, ...nothing };

  await sleep(INSTALL_AFTER_MS[person.name.length % INSTALL_AFTER_MS.length] ?? 0);
  const install = await recordInstall(simulation, person, phone, taps);
  await useApp(simulation, person, phone, install.installId);
  const open = person.returns ? await returnByLink(simulation, person, phone, install.installId) : null;
  return {
    person,
    landedAt,
    taps: taps.length + (open === null ? 0 : 1),
    install,
    open,
    events: person.events.length,
    identified: person.userId !== null,
  };
}

async function recordInstall(
  simulation: Simulation,
  person: Person,
  phone: Phone,
  taps: readonly Tap[],
): Promise<JudgedAttribution> {
  const installReferrer = taps.length === 0 ? ORGANIC_REFERRER : (taps.at(-1)?.referrer ?? null);
  const attribution = await callSdk<Attribution>(simulation, person, phone, '/v1/sdk/install', 200, {
    fingerprint: phone,
    installId: randomUUID(),
    ...(phone.platform === 'ANDROID' && { installReferrer }),
  });
  return judge(attribution, taps);
}

/** Taps another link with the app installed; the app resolves it, on Android by the click ID. */
async function returnByLink(
  simulation: Simulation,
  person: Person,
  phone: Phone,
  installId: string,
): Promise<JudgedAttribution> {
  const back = await tap(simulation, person, { campaign: 'come-back', from: person.laterAddress });
  await sleep(SECOND_TAP_AFTER_MS);
  const attribution = await callSdk<Attribution>(simulation, person, phone, '/v1/sdk/open', 200, {
    fingerprint: phone,
    openId: randomUUID(),
    installId,
    clickId: back.clickId,
  });
  return judge(attribution, [back]);
}

async function useApp(
  simulation: Simulation,
  person: Person,
  phone: Phone,
  installId: string,
): Promise<void> {
  const { userId, events } = person;
  if (userId !== null)
    await callSdk(simulation, person, phone, '/v1/sdk/identify', 204, { installId, userId });
  for (const eventName of events)
    await callSdk(simulation, person, phone, '/v1/sdk/event', 201, {
      installId,
      eventName,
      eventId: randomUUID(),
      ...(eventName === 'purchase' && { properties: { amount: 89.9, currency: 'EUR' } }),
    });
}

async function callSdk<Body>(
  { server, sdkKey }: Simulation,
  { name, laterAddress }: Person,
  { userAgent }: Phone,
  path: string,
  status: number,
  body: object,
): Promise<Body> {
  const headers = { 'x-api-key': sdkKey, ...(userAgent !== null && { 'user-agent': userAgent }) };
  const call = { method: 'POST', path, headers, body, from: laterAddress } as const;
  const { text } = await server.expect(`${name}’s app called ${path}`, call, status);
  return (text === '' ? null : JSON.parse(text)) as Body;
}

function judge(attribution: Attribution, taps: readonly Tap[]): JudgedAttribution {
  const last = taps.at(-1);
  const secondsAfterTap = last === undefined ? null : (monotonicMs() - last.atMs) / 1_000;
  return { ...attribution, verdict: verdictOn(attribution, taps), secondsAfterTap };
}

function verdictOn(attribution: Attribution, taps: readonly Tap[]): Verdict {
  if (attribution.clickId === null) return taps.length === 0 ? 'right' : 'missed';
  return taps.some((one) => isAttributedTo(attribution, one)) ? 'right' : 'wrong';
}

/** Without a click ID, as on iOS, by the link, which only this person tapped. */
function isAttributedTo({ clickId, deepLinkPayload }: Attribution, { clickId: own, link }: Tap): boolean {
  return own === null ? deepLinkPayload?.deepLinkParams.ref === link.ref : clickId === own;
}
