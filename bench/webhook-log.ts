/** What the database holds of deliveries, read beside the service. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

export interface WebhookLog extends AsyncDisposable {
  /** Finished attempts of one webhook. */
  attempts(webhookId: string): Promise<Attempts>;
  /** What is still to be sent, or being sent, to any webhook. */
  open(): Promise<number>;
}

export interface Attempts {
  readonly all: number;
  readonly successes: number;
  /** Different messages among the successes. */
  readonly messages: number;
}

const ATTEMPTS = `select count(*) as a, sum(success) as s,
  count(distinct case when success = 1 then message_id end) as m from webhook_attempts
  where app_id = (select app_id from bootstraps) and webhook_id =`;
const OPEN = `select (select count(*) from webhook_deliveries_due)
  + (select count(*) from webhook_attempts_under_way) as n`;

type Row = Readonly<Record<string, unknown>>;

/** @param database as `Service.database` has it. */
export async function openLog(database: string): Promise<WebhookLog> {
  return database.startsWith('postgres') ? await readPostgres(database) : readSqlite(database);
}

function readSqlite(path: string): WebhookLog {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  return {
    attempts: async (webhookId) => toAttempts(db.prepare(`${ATTEMPTS} ?`).get(webhookId)),
    open: async () => Number(db.prepare(OPEN).get()?.n),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

async function readPostgres(databaseUrl: string): Promise<WebhookLog> {
  const client = new pg.Client(databaseUrl);
  // A connection that is lost is reported by the next query.
  client.on('error', () => undefined);
  await client.connect();
  const first = async (text: string, values: string[]) => (await client.query<Row>(text, values)).rows[0];
  return {
    attempts: async (webhookId) => toAttempts(await first(`${ATTEMPTS} $1`, [webhookId])),
    open: async () => Number((await first(OPEN, []))?.n),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function toAttempts(row: Row | undefined): Attempts {
  return { all: Number(row?.a), successes: Number(row?.s), messages: Number(row?.m) };
}
