/** Records clicks, installs, opens and events by the service's own modules, each at its moment. */
import { createAppDirectory } from '../../apps/index.ts';
import { createMeasure, type Measure, type RecordingDeps } from '../../attribution/index.ts';
import { NEW_CLICK_COLUMNS, type NewClick, toJournalRow } from '../../click-log/click.ts';
import { type ClickLog, ClickWaits } from '../../click-log/index.ts';
import type { Store } from '../../db/index.ts';
import { createEvents, type Events } from '../../events/index.ts';
import type { Foundation } from '../../foundation.ts';
import { type Countries, openCountries } from '../../lib/countries.ts';
import { InFlight } from '../../lib/in-flight.ts';
import { createLinkDirectory, type LinkDirectory } from '../../links/index.ts';
import { linkByPlatform } from '../../redirect/link-by-platform.ts';
import { queryOf, recordClick } from '../../redirect/record-click.ts';
import { classifyVisitor } from '../../redirect/visitors/index.ts';
import {
  type AccuracyCounts,
  clickCounts,
  createAccuracyCounts,
  createFolder,
  createRecordCounters,
} from '../../stats/index.ts';
import type { Random } from '../traffic/random.ts';
import type { Click, Signals } from '../traffic/touches.ts';
import type { Source } from './links.ts';

/** Without receivers: webhooks get the records of the demo in their log only. */
export const UNPUBLISHED = {
  webhooks: { get: async () => [], forget: () => undefined },
  dispatcher: { wake: () => undefined },
  // Its phones send no tokens.
  appleAds: { makeReceiver: async () => undefined },
};

interface TapToRecord {
  readonly click: Click;
  readonly code: string;
  readonly source: Source;
}

export class Recorder {
  readonly #foundation: Foundation;
  readonly #countries: Countries;
  readonly #links: LinkDirectory;
  readonly #clicks: ClickBatch;
  readonly #accuracyCounts: AccuracyCounts;
  readonly #measure: Measure;
  readonly #shared;
  readonly #fold: (appId: string) => Promise<void>;

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
    this.#countries = openCountries(foundation.config);
    this.#links = createLinkDirectory(foundation);
    this.#clicks = new ClickBatch(foundation.store);
    this.#fold = createFolder(foundation.db);
    this.#accuracyCounts = createAccuracyCounts(foundation);
    const measuring = { ...foundation, accuracyCounts: this.#accuracyCounts };
    this.#measure = createMeasure(measuring, { minPauseMs: 0, pauseFactor: 0 });
    this.#shared = {
      ...foundation,
      ...UNPUBLISHED,
      countries: this.#countries,
      appDirectory: createAppDirectory(foundation),
      linkDirectory: this.#links,
      // Its links are all by code.
      longLinks: { find: async () => null },
      clickLog: this.#clicks,
      clickWaits: new ClickWaits(foundation.metrics),
      journalFlushes: { lastOutage: () => null },
      installLimit: { usageOf: () => null },
      dailyLimits: { forSender: () => ({ take: () => null, giveBack: () => undefined }) },
      recordings: new InFlight(),
      measure: this.#measure,
      counters: createRecordCounters(foundation),
    };
  }

  /** The click is in the database after the next `applied`, or with the next install or open. */
  async tap({ click, code, source }: TapToRecord): Promise<void> {
    const link = await this.#links.resolve(code);
    if (link === null) throw new Error(`the demo has no link ${code}`);
    const isMachine = click.acceptLanguage === null && click.signals === null;
    const headers = {
      'user-agent': click.userAgent,
      ...(click.acceptLanguage !== null && { 'accept-language': click.acceptLanguage }),
      ...(source.referrer !== null && !isMachine && { referer: source.referrer }),
    };
    const visitor = classifyVisitor('GET', headers);
    const country = this.#countries.of(click.ipAddress);
    const [id, atMs, query] = [click.id, Date.parse(click.at), queryOf(source.query)];
    const linkOn = linkByPlatform(link, headers, { id, atMs, country, query, rest: null });
    await recordClick(
      { ...this.#foundation, clickLog: this.#clicks.describedBy(click.signals) },
      {
        ...{ link: linkOn(visitor.platform), id, clickedAtMs: atMs, visitor },
        ...{ address: click.ipAddress, country, query, headers },
      },
    );
  }

  /** For what records installs and opens. */
  recordingAt(atMs: number, random: Random): RecordingDeps {
    return { ...this.#shared, ...momentAt(atMs, random) };
  }

  eventsAt(atMs: number, random: Random): Events {
    return createEvents({ ...this.#shared, ...momentAt(atMs, random) });
  }

  async applied(): Promise<void> {
    await this.#clicks.applied();
  }

  /** Measures what was recorded, before later clicks and claims. */
  async measured(): Promise<void> {
    await this.#measure.settled();
  }

  async end(): Promise<void> {
    await this.#accuracyCounts.stop();
  }

  /** Adds everything recorded so far to the roll-ups. */
  async fold(appId: string): Promise<void> {
    await this.#clicks.applied();
    await this.#fold(appId);
  }
}

/** Clicks on their way to the database, without a journal: an interrupted demo is made again. */
class ClickBatch {
  readonly #store: Store;
  #waiting: NewClick[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param signals of the landing page; null for a redirect. */
  describedBy(signals: Signals | null): Pick<ClickLog, 'record'> {
    return {
      record: async (click) => {
        this.#waiting.push(signals === null ? click : described(click, signals));
        return true;
      },
    };
  }

  async applied(): Promise<void> {
    const clicks = this.#waiting;
    this.#waiting = [];
    if (clicks.length === 0) return;
    const into = { table: 'clicks', columns: NEW_CLICK_COLUMNS, counts: clickCounts() } as const;
    const text = clicks.map((click) => `${toJournalRow(click)}\n`).join('');
    await this.#store.insertRowTexts(into, [Buffer.from(text)]);
  }
}

/** As the landing page's script describes its click. */
function described(click: NewClick, { model, ...page }: Signals): NewClick {
  const known = Object.entries(page).filter(([, value]) => value !== null);
  return { ...click, device_model: model, fingerprint: JSON.stringify(Object.fromEntries(known)) };
}

/** The clock and the identifiers of a past moment, so that the service's own functions record as they did then. */
export type Moment = Pick<Foundation, 'clock' | 'ids'>;

export function momentAt(atMs: number, random: Random): Moment {
  const ms = Math.floor(atMs);
  return { clock: { nowMs: () => ms }, ids: { next: () => random.uuid(ms) } };
}
