/** One person's way: tap, store, install, open, events. What they really did is known, so each answer can be judged. */
import { randomUUID } from 'node:crypto';
import type { Method } from '../../attribution/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Phone } from './browsers.ts';
import { sleep } from './http.ts';
import type { Person } from './people.ts';
import { type Tap, tap, type World } from './tap.ts';

/** Wrong: another's click, or anybody's for one who tapped nothing. Missed: organic for one who tapped. */
export type Verdict = 'right' | 'wrong' | 'missed';

interface Attribution {
  readonly method: Method;
  readonly installId: string;
  readonly clickId: string | null;
  readonly campaignId: string | null;
  readonly confidence: string | null;
  readonly deepLinkPayload: { deepLinkPath: string; deepLinkParams: Record<string, unknown> } | null;
}

/** What the app was told, and whether that is so. No time since the tap where nothing was tapped. */
export interface Judged extends Attribution {
  readonly verdict: Verdict;
  readonly secondsAfterTap: number | null;
}

/** What became of a person; no install on what is no phone, no open for who did not come back. */
export interface Life {
  readonly person: Person;
  /** Host of the address that the last tap led to, or that it was shown a card. */
  readonly landedAt: string | null;
  readonly taps: number;
  readonly install: Judged | null;
  readonly open: Judged | null;
  readonly events: number;
  readonly identified: boolean;
}

/** From a tap to the first start of the app, where nobody can wait as long as a download takes. */
const INSTALL_AFTER_MS = [600, 900, 1_300, 1_700] as const;
const SECOND_TAP_AFTER_MS = 250;
/** What Play says of those who found the app by themselves. */
const ORGANIC_REFERRER = 'utm_source=google-play&utm_medium=organic';
const SDK_AGENTS = { IOS: 'Shop/2.4.0 CFNetwork/3826.500.131 Darwin/24.5.0', ANDROID: 'okhttp/4.12.0' };

/** Takes some seconds, as people do. @throws StartError at the first answer that is not as it should be. */
export async function live(world: World, person: Person): Promise<Life> {
  const taps: Tap[] = [];
  for (let count = 0; count < person.taps; count++) {
    if (count > 0) await sleep(SECOND_TAP_AFTER_MS);
    taps.push(await tap(world, person, { campaign: person.campaign, from: person.address }));
  }
  const landedAt = taps.at(-1)?.landedAt ?? null;
  const { phone } = person.browser;
  const nothing = { install: null, open: null, events: 0, identified: false };
  if (phone === null) return { person, landedAt, taps: taps.length, ...nothing };

  await sleep(INSTALL_AFTER_MS[person.name.length % INSTALL_AFTER_MS.length] ?? 0);
  const install = await recordInstall(world, person, phone, taps);
  await useApp(world, person, phone, install.installId);
  const open = person.comesBack ? await comeBack(world, person, phone, install.installId) : null;
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
  world: World,
  person: Person,
  phone: Phone,
  taps: readonly Tap[],
): Promise<Judged> {
  const installReferrer = taps.length === 0 ? ORGANIC_REFERRER : (taps.at(-1)?.referrer ?? null);
  const answer = await tell<Attribution>(world, person, phone, '/v1/sdk/install', 200, {
    fingerprint: { ...phone, appVersion: '2.4.0', sdkVersion: '1.0.0' },
    installId: randomUUID(),
    ...(phone.platform === 'ANDROID' && { installReferrer }),
  });
  return judge(answer, taps);
}

/** The app is there already: it asks for the link that led back to it. Android's carries the click ID. */
async function comeBack(world: World, person: Person, phone: Phone, installId: string): Promise<Judged> {
  const back = await tap(world, person, { campaign: 'come-back', from: person.laterAddress });
  await sleep(SECOND_TAP_AFTER_MS);
  const answer = await tell<Attribution>(world, person, phone, '/v1/sdk/open', 200, {
    fingerprint: { ...phone, appVersion: '2.4.0', sdkVersion: '1.0.0' },
    openId: randomUUID(),
    installId,
    clickId: back.clickId,
  });
  return judge(answer, [back]);
}

async function useApp(world: World, person: Person, phone: Phone, installId: string): Promise<void> {
  const { userId, events } = person;
  if (userId !== null) await tell(world, person, phone, '/v1/sdk/identify', 204, { installId, userId });
  for (const eventName of events)
    await tell(world, person, phone, '/v1/sdk/event', 201, {
      installId,
      eventName,
      eventId: randomUUID(),
      ...(eventName === 'purchase' && { properties: { amount: 89.9, currency: 'EUR' } }),
    });
}

async function tell<Body>(
  { server, sdkKey }: World,
  { name, laterAddress }: Person,
  { platform }: Phone,
  path: string,
  status: number,
  body: object,
): Promise<Body> {
  const headers = { 'x-api-key': sdkKey, 'user-agent': SDK_AGENTS[platform] };
  const call = { method: 'POST', path, headers, body, from: laterAddress } as const;
  const { text } = await server.ask(`${name}’s app called ${path}`, call, status);
  return (text === '' ? null : JSON.parse(text)) as Body;
}

function judge(answer: Attribution, taps: readonly Tap[]): Judged {
  const last = taps.at(-1);
  const secondsAfterTap = last === undefined ? null : (monotonicMs() - last.atMs) / 1_000;
  const verdict =
    answer.clickId === null
      ? last === undefined
        ? 'right'
        : 'missed'
      : taps.some((one) => isOf(answer, one))
        ? 'right'
        : 'wrong';
  return { ...answer, verdict, secondsAfterTap };
}

/** The App Store carries no click ID, so an iPhone’s tap is known by its link, which is that person’s alone. */
function isOf({ clickId, deepLinkPayload }: Attribution, { clickId: own, link }: Tap): boolean {
  return own === null ? deepLinkPayload?.deepLinkParams.ref === link.ref : clickId === own;
}
