/** Generates a period of one app's traffic: clicks, and the installs after them. */

import { type Browser, buildClickContent, chooseBrowser } from './browsers.ts';
import { localHour, People, type Person } from './people.ts';
import { Random } from './random.ts';
import { buildReleases, fingerprint, type Release } from './sdk.ts';
import type { Settings } from './settings.ts';
import type { Author, Click, Install, Run, Touch } from './touches.ts';

/** A Tuesday. */
const TUESDAY_MS = Date.parse('2026-03-03T00:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Installs are recorded for this long after the period. */
const AFTER_MS = 36 * HOUR_MS;

/** Deterministic for the same arguments. */
export function buildRun(settings: Settings, seed: number, startMs = TUESDAY_MS): Run {
  return new Traffic(settings, seed, startMs).run();
}

class Traffic {
  readonly #settings: Settings;
  readonly #random: Random;
  readonly #people: People;
  readonly #releases: Release[];
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #touches: Touch[] = [];
  readonly #authors = new Map<string, Author>();

  constructor(settings: Settings, seed: number, startMs: number) {
    this.#settings = settings;
    this.#random = new Random(seed);
    this.#people = new People(this.#random, settings, startMs);
    this.#releases = buildReleases(this.#random);
    this.#startMs = startMs;
    this.#endMs = startMs + settings.hours * HOUR_MS;
  }

  run(): Run {
    const all = [...this.#people.all()].map((person) => ({ person, atMs: this.#arrivalMs(person) }));
    // In order of arrival, because members of a household share its network.
    for (const { person, atMs } of all.sort((a, b) => a.atMs - b.atMs)) this.#simulatePerson(person, atMs);
    this.#crawl();
    const touches = this.#touches.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
    return { touches, authors: this.#authors };
  }

  #arrivalMs(person: Person): number {
    if (this.#random.chance(this.#settings.burstShare)) {
      const hour = (this.#random.pick(PUSH_HOURS) - person.zone.offsetHours + 24) % 24;
      return this.#startMs + hour * HOUR_MS + this.#random.exponential(12 * MINUTE_MS);
    }
    for (;;) {
      const atMs = this.#startMs + this.#random.next() * this.#settings.hours * HOUR_MS;
      if (this.#random.chance(BUSY_BY_HOUR[Math.floor(localHour(person, atMs))] ?? 1))
        return Math.floor(atMs);
    }
  }

  #simulatePerson(person: Person, atMs: number): void {
    const { organicShare, convertingShare, desktopShare, repeatShare } = this.#settings;
    if (this.#random.chance(organicShare)) {
      this.#install(person, atMs, null);
      return;
    }
    const onComputer = this.#random.chance(desktopShare);
    const campaignId = `campaign-${Math.floor(CAMPAIGNS * this.#random.next() ** 2)}`;
    let click = this.#click(person, atMs, campaignId, onComputer ? 'computer' : null);
    let lastMs = atMs;
    while (this.#random.chance(repeatShare)) {
      lastMs += this.#random.logNormal(10, 2) * MINUTE_MS;
      click = this.#click(person, lastMs, campaignId, null);
    }
    // Few people continue on the phone after a click on a computer.
    const odds = onComputer && lastMs === atMs ? convertingShare / 3 : convertingShare;
    if (this.#random.chance(odds)) this.#install(person, lastMs + this.#delayMs(), click);
  }

  #delayMs(): number {
    const { quickShare, quickMedianMinutes, slowMedianHours } = this.#settings;
    const minutes = this.#random.chance(quickShare)
      ? this.#random.logNormal(quickMedianMinutes, 1)
      : this.#random.logNormal(slowMedianHours * 60, 1.3);
    return Math.max(0.4, minutes) * MINUTE_MS;
  }

  #click(person: Person, atMs: number, campaignId: string, fixedBrowser: Browser | null): Click {
    const random = this.#random;
    this.#people.advance(person, atMs);
    const browser = fixedBrowser ?? chooseBrowser(random, person, this.#settings);
    const on = browser === 'computer' ? this.#people.computerNetwork(person, atMs) : person.on;
    const ownAddress = this.#people.address(person, on, atMs);
    const relayed = browser === 'safari' && person.hasRelay;
    if (random.chance(this.#settings.previewShare)) this.#preview(ownAddress, atMs, campaignId);
    const click: Click = {
      type: 'click',
      id: random.uuid(Math.floor(atMs)),
      at: new Date(Math.floor(atMs)).toISOString(),
      ipAddress: relayed ? this.#people.networks.relay(person.place, person.id, atMs) : ownAddress,
      ...buildClickContent(random, person, browser, this.#settings),
      campaignId,
    };
    this.#record(click, { person: person.id, device: browser === 'computer' ? 'computer' : 'phone' });
    return click;
  }

  #install(person: Person, atMs: number, click: Click | null): void {
    const random = this.#random;
    this.#people.advance(person, atMs);
    if (click && random.chance(this.#settings.switchShare)) this.#people.switchNetwork(person);
    const address = this.#people.address(person, person.on, atMs);
    const fromPhone = click && this.#authors.get(click.id)?.device === 'phone';
    const install: Install = {
      type: 'install',
      id: random.uuid(Math.floor(atMs)),
      at: new Date(Math.floor(atMs)).toISOString(),
      fingerprint: {
        ipAddress: address,
        ...fingerprint(random, person, random.weighted(this.#releases), this.#settings),
      },
      installReferrer: this.#referrer(person, fromPhone ? click.id : null),
      clickId: fromPhone && random.chance(this.#settings.clickIdShare) ? click.id : null,
    };
    this.#record(install, { person: person.id, device: 'phone' });
  }

  #referrer({ phone }: Person, clickId: string | null): string | null {
    if (phone.platform === 'IOS') return null;
    const random = this.#random;
    if (clickId && random.chance(this.#settings.referrerShare))
      return random.weighted(REFERRERS).text.replace('CLICK', clickId);
    return random.weighted(ORGANIC_REFERRERS).text;
  }

  /** A chat app on the same phone fetches the preview. */
  #preview(ipAddress: string, atMs: number, campaignId: string): void {
    const userAgent = this.#random.pick(PREVIEWS);
    this.#botClick({ ipAddress, userAgent, campaignId }, atMs - this.#random.exponential(MINUTE_MS));
  }

  #crawl(): void {
    const clicks = this.#touches.filter(({ type }) => type === 'click').length;
    for (let left = Math.round(clicks * this.#settings.crawlerShare); left > 0; left--) {
      const ipAddress = `66.${this.#random.between(220, 249)}.${this.#random.between(1, 90)}.${this.#random.between(1, 254)}`;
      const campaignId = `campaign-${this.#random.between(0, CAMPAIGNS - 1)}`;
      const atMs = this.#startMs + this.#random.next() * (this.#endMs - this.#startMs);
      this.#botClick({ ipAddress, userAgent: this.#random.pick(CRAWLERS), campaignId }, atMs);
    }
  }

  #botClick(fields: Pick<Click, 'ipAddress' | 'userAgent' | 'campaignId'>, atMs: number): void {
    const click: Click = {
      type: 'click',
      id: this.#random.uuid(Math.floor(atMs)),
      at: new Date(Math.floor(atMs)).toISOString(),
      acceptLanguage: null,
      signals: null,
      ...fields,
    };
    this.#record(click, { person: null, device: 'machine' });
  }

  /** Drops touches outside of the recorded time. */
  #record(touch: Touch, author: Author): void {
    const atMs = Date.parse(touch.at);
    if (atMs < this.#startMs || atMs >= this.#endMs + AFTER_MS) return;
    this.#touches.push(touch);
    this.#authors.set(touch.id, author);
  }
}

const CAMPAIGNS = 12;
/** Local time on the first day. */
const PUSH_HOURS = [8.5, 12, 17.2, 19.5];
/** Relative phone usage by local hour, from midnight. */
const BUSY_BY_HOUR = [
  0.25, 0.12, 0.07, 0.05, 0.06, 0.12, 0.28, 0.45, 0.55, 0.55, 0.58, 0.62, 0.7, 0.66, 0.6, 0.62, 0.68, 0.78,
  0.88, 0.97, 1, 0.95, 0.75, 0.45,
];
const REFERRERS = [
  { text: 'svc_click_id=CLICK', weight: 0.6 },
  { text: 'utm_source=newsletter&utm_medium=email&svc_click_id=CLICK', weight: 0.25 },
  { text: 'svc_click_id=CLICK&utm_campaign=spring%20sale', weight: 0.12 },
  { text: 'svc_click_id%3DCLICK', weight: 0.03 },
];
const ORGANIC_REFERRERS = [
  { text: 'utm_source=google-play&utm_medium=organic', weight: 0.75 },
  { text: 'utm_source=(not%20set)&utm_medium=(not%20set)', weight: 0.15 },
  { text: null, weight: 0.1 },
] as { text: string | null; weight: number }[];
const PREVIEWS = [
  'WhatsApp/2.26.7.74 A',
  'WhatsApp/2.26.7.71 i',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
];
const CRAWLERS = [
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'TelegramBot (like TwitterBot)',
];
