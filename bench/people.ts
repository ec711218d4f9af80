/** Fills a service's database with people of whom one is erased after the other, and with strangers. */
import { createHash, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { migrations } from '../migrations/index.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openStore, type Store } from '../src/platform/db/index.ts';
import { createIds } from '../src/platform/ids.ts';
import { createLog } from '../src/platform/log.ts';
import { say } from './progress.ts';
import type { Service } from './service.ts';

export interface Population {
  readonly clicks: number;
  readonly installs: number;
  readonly events: number;
  /** How many people there are to be erased. */
  readonly people: number;
}

/** Of each person: 5 installs, and of each of these so many records. */
const OF_INSTALL = { clicks: 200, opens: 199, events: 600 };
const INSTALLS_OF_PERSON = 5;
export const RECORDS_OF_PERSON = INSTALLS_OF_PERSON * (1 + 200 + 199 + 600);
const ROWS_AT_ONCE = 2_000;

export function userId(person: number): string {
  return `person-${person}`;
}

export async function fillPeople(service: Service, population: Population): Promise<void> {
  const databaseUrl = service.database.startsWith('postgres') ? service.database : null;
  const store = await openStore(
    { databaseUrl, dataDir: dirname(service.database) },
    migrations,
    createLog('silent'),
    (cause) => {
      throw cause;
    },
  );
  try {
    const { app_id } = await store.db.selectFrom('bootstraps').select('app_id').executeTakeFirstOrThrow();
    const link = await store.db.selectFrom('links').select(['id', 'campaign_id']).executeTakeFirstOrThrow();
    await new Filler(store, app_id, link).fill(population);
  } finally {
    await store.close();
  }
}

type Table = 'clicks' | 'installs' | 'opens' | 'events';

class Filler {
  readonly #store: Store;
  readonly #appId: string;
  readonly #link: { id: string; campaign_id: string | null };
  readonly #ids = createIds(systemClock);
  readonly #waiting: Record<Table, object[]> = { clicks: [], installs: [], opens: [], events: [] };
  readonly #counts = { clicks: 0, installs: 0, opens: 0, events: 0 };
  readonly #now = new Date().toISOString();

  constructor(store: Store, appId: string, link: { id: string; campaign_id: string | null }) {
    this.#store = store;
    this.#appId = appId;
    this.#link = link;
  }

  async fill({ people, ...strangers }: Population): Promise<void> {
    for (let person = 0; person < people; person++)
      for (let install = 0; install < INSTALLS_OF_PERSON; install++)
        await this.#phone(`${userId(person)} ${install}`, userId(person), OF_INSTALL);
    const each = {
      clicks: Math.floor(strangers.clicks / strangers.installs),
      opens: 0,
      events: Math.floor(strangers.events / strangers.installs),
    };
    for (let stranger = 0; this.#counts.installs < strangers.installs; stranger++)
      await this.#phone(`stranger ${stranger}`, stranger % 2 === 0 ? `stranger-${stranger}` : null, each);
    for (const table of ['clicks', 'installs', 'opens', 'events'] as const) await this.#flush(table);
    say(`  ${JSON.stringify(this.#counts)}`);
  }

  async #phone(address: string, user: string | null, records: typeof OF_INSTALL): Promise<void> {
    const ip_hash = createHash('sha256').update(address).digest('base64url').slice(0, 22);
    const install_id = this.#ids.next();
    const device = {
      ip_hash,
      user_agent: 'Shop/7 (iPhone; iOS 17.5.1)',
      device_model: 'iPhone15,2',
      os_version: '17.5.1',
      locale: 'en_US',
      fingerprint: '{"screenWidth":1179,"screenHeight":2556,"timezone":"Europe/Berlin"}',
    };
    const outcome = {
      attribution_method: 'ORGANIC',
      click_id: null,
      link_id: null,
      campaign_id: null,
      confidence: null,
      answer: '{}',
      trace: '{}',
    };
    const common = { app_id: this.#appId, sandbox: 0, platform: 'IOS' };
    await this.#add('installs', {
      ...{ ...common, id: install_id, user_id: user, installed_at: this.#now },
      ...device,
      ...outcome,
    });
    for (let n = 0; n < records.clicks; n++)
      await this.#add('clicks', {
        ...{ ...common, id: this.#ids.next(), link_id: this.#link.id, campaign_id: this.#link.campaign_id },
        ...{ visitor: 'human', ip_hash, user_agent: device.user_agent, accept_language: 'en-US,en;q=0.9' },
        clicked_at: this.#now,
      });
    for (let n = 0; n < records.opens; n++)
      await this.#add('opens', {
        ...{ ...common, id: this.#ids.next(), install_id, user_id: user, opened_at: this.#now },
        ...device,
        ...outcome,
      });
    for (let n = 0; n < records.events; n++)
      await this.#add('events', {
        ...{ app_id: this.#appId, id: this.#ids.next(), client_event_id: null, install_id, sandbox: 0 },
        event_name: 'purchase',
        ...{ properties: `{"order":"${randomUUID()}"}`, user_id: user },
        ...{ occurred_at: this.#now, created_at: this.#now },
      });
  }

  async #add(table: Table, row: object): Promise<void> {
    this.#counts[table] += 1;
    this.#waiting[table].push(row);
    if (this.#waiting[table].length >= ROWS_AT_ONCE) await this.#flush(table);
  }

  async #flush(table: Table): Promise<void> {
    await this.#store.insertMany(this.#store.db, table, this.#waiting[table] as never[]);
    this.#waiting[table] = [];
  }
}
