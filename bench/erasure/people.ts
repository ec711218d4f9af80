/** Fills a service's database with people to erase and with other users. */
import { createHash, randomUUID } from 'node:crypto';
import { insertMany, type Store } from '../../src/db/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import type { Service } from '../lib/service.ts';
import { openStoreOf } from '../lib/store.ts';

export interface Population {
  readonly clicks: number;
  readonly installs: number;
  readonly events: number;
  /** People to erase. */
  readonly people: number;
}

/** Records of each install of a person. */
const RECORDS_OF_INSTALL = { clicks: 200, opens: 199, events: 600 };
const INSTALLS_OF_PERSON = 5;
export const RECORDS_OF_PERSON = INSTALLS_OF_PERSON * (1 + 200 + 199 + 600);
const BATCH_ROWS = 2_000;

export function userId(person: number): string {
  return `person-${person}`;
}

export async function fillPeople(service: Service, population: Population): Promise<void> {
  const store = await openStoreOf(service);
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
  readonly #pending: Record<Table, object[]> = { clicks: [], installs: [], opens: [], events: [] };
  readonly #counts = { clicks: 0, installs: 0, opens: 0, events: 0 };
  readonly #now = new Date().toISOString();

  constructor(store: Store, appId: string, link: { id: string; campaign_id: string | null }) {
    this.#store = store;
    this.#appId = appId;
    this.#link = link;
  }

  async fill({ people, ...users }: Population): Promise<void> {
    for (let person = 0; person < people; person++)
      for (let install = 0; install < INSTALLS_OF_PERSON; install++)
        await this.#insertPhone(`${userId(person)} ${install}`, userId(person), RECORDS_OF_INSTALL);
    const recordsOfUser = {
      clicks: Math.floor(users.clicks / users.installs),
      opens: 0,
      events: Math.floor(users.events / users.installs),
    };
    for (let user = 0; this.#counts.installs < users.installs; user++)
      await this.#insertPhone(`user ${user}`, user % 2 === 0 ? `user-${user}` : null, recordsOfUser);
    for (const table of ['clicks', 'installs', 'opens', 'events'] as const) await this.#flush(table);
    console.error(`  ${JSON.stringify(this.#counts)}`);
  }

  async #insertPhone(
    address: string,
    user: string | null,
    records: typeof RECORDS_OF_INSTALL,
  ): Promise<void> {
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
    this.#pending[table].push(row);
    if (this.#pending[table].length >= BATCH_ROWS) await this.#flush(table);
  }

  async #flush(table: Table): Promise<void> {
    await insertMany(this.#store.db, table, this.#pending[table] as never[]);
    this.#pending[table] = [];
  }
}
