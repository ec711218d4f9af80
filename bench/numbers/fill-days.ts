/** Fills a service with days of traffic by its own bulk insert and folds its counts, as recording does. */

import { NEW_CLICK_COLUMNS } from '../../src/click-log/click.ts';
import { Random } from '../../src/commands/traffic/random.ts';
import { type EventsTable, insertMany, type Store, toRowText } from '../../src/db/index.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';
import { leastIdAt } from '../../src/lib/ids.ts';
import {
  type CountedEvent,
  type CountedRecord,
  clickCounts,
  createFolder,
  eventCounts,
  firstPurchaseOf,
  insertCounts,
  installCounts,
  purchaseCounts,
} from '../../src/stats/index.ts';

export interface Size {
  readonly clicks: number;
  readonly installs: number;
  readonly events: number;
}

interface Link {
  readonly app_id: string;
  readonly id: string;
  readonly campaign_id: string | null;
}

type CountedInstall = CountedRecord &
  Pick<CountedEvent, 'installed_at' | 'existing_user' | 'network' | 'network_name' | 'network_campaign'> & {
    readonly id: string;
  };

const DAYS = 89;
const BATCH_ROWS = 2_000;
const COUNTRIES = ['DE', 'US', 'IN', 'BR', 'FR', 'GB', 'JP', 'IT', 'ES', 'PL', 'NL', 'AT', 'CH', 'SE', 'MX'];
const REFERRERS = [null, null, 'news.example', 'social.example', 'mail.example', 'forum.example'];
const SOURCES = [null, null, 'newsletter', 'ads', 'partner'];
const EVENT_NAMES = ['level', 'search', 'share', 'purchase'];

export async function fillDays(store: Store, links: readonly Link[], size: Size): Promise<void> {
  const fold = createFolder(store.db);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const random = new Random(20_261_125);
  for (let day = 0; day < DAYS; day++) {
    const startMs = today - (DAYS - day) * DAY_MS;
    await store.makePartitions(startMs);
    const fill = new Day({ store, links, random, startMs });
    await fill.addClicks(Math.round(size.clicks / DAYS));
    await fill.addInstalls(Math.round(size.installs / DAYS), Math.round(size.events / DAYS));
    await fold(links[0]?.app_id ?? '');
    if (day % 10 === 0) console.error(`  day ${day} of ${DAYS}`);
  }
}

class Day {
  readonly #store: Store;
  readonly #links: readonly Link[];
  readonly #random: Random;
  readonly #startMs: number;
  #sequence = 0;

  constructor({
    store,
    links,
    random,
    startMs,
  }: { store: Store; links: readonly Link[]; random: Random; startMs: number }) {
    this.#store = store;
    this.#links = links;
    this.#random = random;
    this.#startMs = startMs;
  }

  async addClicks(count: number): Promise<void> {
    const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: clickCounts() } as const;
    for (let first = 0; first < count; first += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, count - first);
      const lines = Array.from({ length: rows }, (_, i) => this.#click((first + i) / count));
      await this.#store.insertRowTexts(into, [Buffer.from(lines.join(''))]);
    }
  }

  /** Installs with their events, which follow them within the day. */
  async addInstalls(count: number, events: number): Promise<void> {
    const { db } = this.#store;
    for (let first = 0; first < count; first += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, count - first);
      const installs = Array.from({ length: rows }, (_, i) => this.#install((first + i) / count));
      const counted = installs.map((install) => ({ ...install, recordedAt: install.installed_at }));
      const recorded = this.#events(counted, Math.round((events * rows) / count));
      const byInstall = Map.groupBy(
        recorded.map(({ row }) => row),
        ({ install_id }) => install_id,
      );
      const purchases = new Map(
        installs.map((install) => [install, firstPurchaseOf(install, byInstall.get(install.id) ?? [])]),
      );
      await insertMany(
        db,
        'installs',
        installs.map((install) => {
          const purchase = purchases.get(install) ?? null;
          return { ...install, first_purchase: purchase === null ? null : JSON.stringify(purchase) };
        }),
      );
      await insertCounts(db, [
        ...installCounts(counted),
        ...installs.flatMap((install) => {
          const purchase = purchases.get(install) ?? null;
          return purchase === null ? [] : purchaseCounts(install, purchase);
        }),
      ]).execute();
      await this.#insertEvents(recorded);
    }
  }

  #events(installs: readonly CountedInstall[], count: number) {
    return Array.from({ length: count }, (_, i) => this.#event(installs[i % installs.length], i / count));
  }

  async #insertEvents(events: readonly { row: EventsTable; counted: CountedEvent }[]): Promise<void> {
    const { db } = this.#store;
    for (let first = 0; first < events.length; first += BATCH_ROWS) {
      const part = events.slice(first, first + BATCH_ROWS);
      await insertMany(
        db,
        'events',
        part.map(({ row }) => row),
      );
      await insertCounts(db, eventCounts(part.map(({ counted }) => counted))).execute();
    }
  }

  #id(share: number): { id: string; at: string } {
    const ms = this.#startMs + Math.floor(share * DAY_MS);
    this.#sequence += 1;
    const digits = this.#sequence.toString(16).padStart(12, '0');
    return { id: leastIdAt(ms).replace(/-0000-0000-0{12}$/, `-7000-8000-${digits}`), at: isoTime(ms) };
  }

  /** A few links have most of the traffic. */
  #link(): Link {
    const share = this.#random.next() ** 2;
    return this.#links[Math.floor(share * this.#links.length)] as Link;
  }

  #source() {
    const source = this.#random.pick(SOURCES);
    const utm = { source, medium: 'email', campaign: 'autumn', term: null, content: null };
    return {
      country: this.#random.pick(COUNTRIES),
      referrer: this.#random.pick(REFERRERS),
      utm: source === null ? null : JSON.stringify(utm),
    };
  }

  #click(share: number): string {
    const link = this.#link();
    const { id, at } = this.#id(share);
    const click = {
      ...{ app_id: link.app_id, id, link_id: link.id, campaign_id: link.campaign_id, sandbox: 0 },
      ...{
        visitor: this.#random.next() < 0.9 ? 'human' : 'crawler',
        platform: this.#random.pick(['IOS', 'ANDROID']),
      },
      ...{
        ip_hash: `hash of ${this.#sequence % 1_000_000}`,
        user_agent: 'Mozilla/5.0 (iPhone)',
        accept_language: 'de',
      },
      ...{ clicked_at: at, visitor_reason: null, device_model: null, fingerprint: null },
      ...{ ...this.#source(), query: null, erased: null, erased_at: null },
      ...{ rule_id: null, path_rest: null },
    };
    return `${toRowText(NEW_CLICK_COLUMNS.map((column) => click[column]))}\n`;
  }

  #install(share: number) {
    const link = this.#random.next() < 0.7 ? this.#link() : null;
    const { id, at } = this.#id(share);
    return {
      ...{
        app_id: this.#links[0]?.app_id ?? '',
        id,
        sandbox: 0 as const,
        platform: this.#random.pick(['IOS', 'ANDROID']),
      },
      ...{
        link_id: link?.id ?? null,
        campaign_id: link?.campaign_id ?? null,
        click_id: null,
        confidence: null,
      },
      attribution_method: link === null ? 'ORGANIC' : 'CLICK_ID',
      ...{ ip_hash: null, user_agent: null, device_model: 'Pixel 9', locale: 'de-DE' },
      os_version: this.#random.pick(['16', '15', '18.1', '26']),
      ...{
        fingerprint: '{"appVersion":"4.2.0"}',
        user_id: null,
        installed_at: at,
        answer: '{}',
        trace: '{}',
        erased: null,
        erased_at: null,
      },
      ...{ ...this.#source(), last_open: null, active_days: 1, existing_user: null, first_purchase: null },
      ...{ network: null, network_name: null, network_campaign: null },
    };
  }

  #event(install: CountedInstall | undefined, share: number) {
    const { id, at } = this.#id(share);
    const eventName = this.#random.pick(EVENT_NAMES);
    const revenue = eventName === 'purchase' ? { amount: '19.99', currency: 'EUR' } : null;
    const owner = install as CountedInstall;
    const row = {
      ...{ app_id: owner.app_id, id, client_event_id: null, install_id: owner.id, event_name: eventName },
      ...{
        properties: '{"items":2}',
        user_id: null,
        sandbox: owner.sandbox,
        occurred_at: at,
        created_at: at,
      },
      ...{
        erased: null,
        erased_at: null,
        link_id: owner.link_id,
        campaign_id: owner.campaign_id,
        platform: owner.platform,
      },
      ...{ country: owner.country, last_link_id: null, last_campaign_id: null },
      ...{ revenue_amount: revenue?.amount ?? null, revenue_currency: revenue?.currency ?? null },
      ...{ transaction_id: null, repeats_transaction: null },
    };
    const counted = { ...owner, recordedAt: at, eventName, revenue, lastLinkId: null, lastCampaignId: null };
    return { row, counted };
  }
}
