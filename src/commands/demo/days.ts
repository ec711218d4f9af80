/** The days of the demo: taps and installs of the synthetic traffic, which grows, and is busier on some weekdays. */
import { DAY_MS, dayOf, isoTime } from '../../lib/clock.ts';
import { PRESETS } from '../traffic/presets.ts';
import { Random } from '../traffic/random.ts';
import type { Settings } from '../traffic/settings.ts';
import type { Click, Install, Touch } from '../traffic/touches.ts';
import { buildRun } from '../traffic/traffic.ts';
import { LINKS, type LinkPlan, type Source } from './links.ts';

/** Today included: the service keeps clicks for 90 days by default. */
export const DAYS = 90;
/** People on the last day per person on the first. */
const GROWTH = 2.4;
/** From Sunday to Saturday. */
const WEEKDAYS = [1.25, 0.85, 0.95, 0.9, 0.95, 1.05, 1.2];
/** The newsletter leaves on Thursdays. */
const PUSH_WEEKDAY = 4;
const PUSH_SHARE = 0.25;

export interface Tap {
  readonly type: 'tap';
  readonly atMs: number;
  readonly click: Click;
  readonly link: LinkPlan;
  readonly source: Source;
}

export interface Start {
  readonly type: 'install';
  readonly atMs: number;
  readonly install: Install;
  /** The person's latest tap on the phone; null without one. */
  readonly lastTap: Tap | null;
}

export interface Day {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly startMs: number;
  /** In time order. */
  readonly touches: readonly (Tap | Start)[];
}

/** Midnight in UTC of the first day. */
export function startOfDemo(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
}

/** From 0. */
export function dayIndexOf(atMs: number, nowMs: number): number {
  return Math.floor((atMs - startOfDemo(nowMs)) / DAY_MS);
}

/** How much happens, and until when. */
export interface Extent {
  readonly seed: number;
  readonly nowMs: number;
  /** Who tap or install on the last day. */
  readonly people: number;
}

/** Deterministic for the same arguments. */
export function* buildDays({ seed, nowMs, people }: Extent): Generator<Day> {
  const random = new Random(seed);
  let later: (Tap | Start)[] = [];
  for (let index = 0; index < DAYS; index++) {
    const startMs = startOfDemo(nowMs) + index * DAY_MS;
    const settings = settingsOf(random, { index, people, weekday: new Date(startMs).getUTCDay() });
    const run = buildRun(settings, seed * DAYS + index, startMs);
    const lastTaps = new Map<number, Tap>();
    const touches = run.touches.map((touch) => {
      const author = run.authors.get(touch.id);
      const person = author?.person ?? null;
      const lastTap = person === null ? null : (lastTaps.get(person) ?? null);
      const recorded = toTouch(random, touch, { day: index, lastTap });
      // A computer does not open the app later.
      if (person !== null && recorded.type === 'tap' && author?.device === 'phone')
        lastTaps.set(person, recorded);
      return recorded;
    });
    const all = [...later, ...touches].sort((a, b) => a.atMs - b.atMs);
    const endMs = Math.min(startMs + DAY_MS, nowMs);
    later = all.filter(({ atMs }) => atMs >= endMs);
    yield { day: dayOf(isoTime(startMs)), startMs, touches: all.filter(({ atMs }) => atMs < endMs) };
  }
}

function settingsOf(
  random: Random,
  { index, people, weekday }: { index: number; people: number; weekday: number },
): Settings {
  const { smallApp } = PRESETS;
  if (smallApp === undefined) throw new Error('the traffic has no preset of this name');
  const share = GROWTH ** (index / (DAYS - 1) - 1);
  const isPush = weekday === PUSH_WEEKDAY;
  const usual = people * share * (WEEKDAYS[weekday] ?? 1) * random.logNormal(1, 0.07);
  return {
    ...smallApp,
    places: { germany: 0.42, france: 0.16, britain: 0.14, unitedStates: 0.2, brazil: 0.05, japan: 0.03 },
    people: Math.round(isPush ? usual * (1 + PUSH_SHARE) : usual),
    hours: 24,
    organicShare: 0.08,
    convertingShare: 0.2,
    // Families tap together, so that some decisions have to tell phones apart.
    kinShare: 0.3,
    burstShare: isPush ? PUSH_SHARE : 0,
    pageShare: 0.85,
    crawlerShare: 0.06,
  };
}

function toTouch(
  random: Random,
  touch: Touch,
  { day, lastTap }: { day: number; lastTap: Tap | null },
): Tap | Start {
  const atMs = Date.parse(touch.at);
  if (touch.type === 'install') return { type: 'install', atMs, install: touch, lastTap };
  // The traffic numbers its campaigns by their clicks, as `LINKS` is ordered.
  const wanted = Number(touch.campaignId.split('-')[1]);
  const link = linkOn(day, wanted);
  return { type: 'tap', atMs, click: touch, link, source: random.weighted(link.sources) };
}

/** The link at a place in `LINKS` if it exists on that day, else the most clicked one. */
export function linkOn(day: number, wanted: number): LinkPlan {
  const exists = ({ madeOnDay, endsAfterDays }: LinkPlan) =>
    madeOnDay <= day && (endsAfterDays === null || day < madeOnDay + endsAfterDays);
  const [first] = LINKS;
  const link = LINKS[wanted];
  if (first === undefined) throw new Error('the demo has no links');
  return link !== undefined && exists(link) ? link : first;
}
