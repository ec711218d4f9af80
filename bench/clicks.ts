/** What the database holds, read beside the service. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

export interface Clicks {
  /** All of them, or those recorded from a time on. */
  count(sinceMs?: number): Promise<number>;
  /** Installs that a click names as its own, as they name it. */
  installsWithClick(): Promise<number>;
  /** The database's processes that the service has connections to; none where it runs in the service's own. */
  servers(): Promise<number[]>;
  /** All events. */
  events(): Promise<number>;
  close(): Promise<void>;
}

/** By the primary key: the identifier of a click begins with its time (UUIDv7). */
const COUNT_SINCE =
  'select count(*) as n from clicks where app_id = (select app_id from bootstraps) and id >=';

const INSTALLS_WITH_CLICK = `select count(*) as n from installs
  join clicks on clicks.app_id = installs.app_id and clicks.id = installs.click_id
  where clicks.claimed_by_install = installs.id`;

const SERVERS =
  "select pid from pg_stat_activity where datname = current_database() and application_name = 'throughline'";
const EVENTS = 'select count(*) as n from events where app_id = (select app_id from bootstraps)';

export function readSqlite(path: string): Clicks {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const counted = db.prepare(`${COUNT_SINCE} ?`);
  return {
    count: async (sinceMs = 0) => Number(counted.get(firstIdOf(sinceMs))?.n),
    installsWithClick: async () => Number(db.prepare(INSTALLS_WITH_CLICK).get()?.n),
    servers: async () => [],
    events: async () => Number(db.prepare(EVENTS).get()?.n),
    close: async () => db.close(),
  };
}

export async function readPostgres(databaseUrl: string): Promise<Clicks> {
  const client = new pg.Client(databaseUrl);
  // A connection that is lost is reported by the next count.
  client.on('error', () => undefined);
  await client.connect();
  return {
    async count(sinceMs = 0) {
      const { rows } = await client.query<{ n: string }>(`${COUNT_SINCE} $1`, [firstIdOf(sinceMs)]);
      return Number(rows[0]?.n);
    },
    async installsWithClick() {
      const { rows } = await client.query<{ n: string }>(INSTALLS_WITH_CLICK);
      return Number(rows[0]?.n);
    },
    async servers() {
      const { rows } = await client.query<{ pid: number }>(SERVERS);
      return rows.map(({ pid }) => pid);
    },
    async events() {
      const { rows } = await client.query<{ n: string }>(EVENTS);
      return Number(rows[0]?.n);
    },
    close: () => client.end(),
  };
}

function firstIdOf(timeMs: number): string {
  const digits = timeMs.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
