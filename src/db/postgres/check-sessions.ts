/** What the service needs of its sessions and a connection pooler in between may not give. */
import type pg from 'pg';
import { StartError } from '../../errors.ts';
import { SESSION_MODE } from '../explain-fault.ts';

/** @throws StartError when times would be misread, or statements run in the sessions of others. */
export async function assertUsableSessions(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    if (await isPooled(client)) await assertOwnSession(pool, client);
    await assertUtc(client);
  } finally {
    client.release();
  }
}

/** A pooler gives clients numbers of its own in place of the server's process ID. */
async function isPooled(client: pg.PoolClient): Promise<boolean> {
  // Incomplete in @types/pg.
  const { processID } = client as unknown as { processID: number | null };
  return processID !== (await backendOf(client));
}

/** Prepared statements and settings belong to a session. */
async function assertOwnSession(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const backend = await backendOf(client);
  const other = await pool.connect();
  try {
    await other.query('begin');
    const isShared = backend === (await backendOf(other)) || backend !== (await backendOf(client));
    await other.query('rollback');
    if (isShared) throw new StartError(`The database of DATABASE_URL cannot be used: ${SESSION_MODE}.`);
  } finally {
    other.release();
  }
}

async function backendOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** By its offsets in this century: UTC has many names, and London's winter is none. */
const OFFSETS = `select current_setting('TimeZone') as zone, bool_and(extract(timezone from moment) = 0) as is_utc
  from generate_series('2000-01-01Z'::timestamptz, '2100-01-01Z'::timestamptz, interval '7 days') as times (moment)`;

async function assertUtc(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ zone: string; is_utc: boolean }>(OFFSETS);
  if (rows[0]?.is_utc === true) return;
  throw new StartError(
    `The database of DATABASE_URL ignores startup parameters: the session's time zone is ${rows[0]?.zone}, not UTC. Run “alter role … set timezone to 'UTC'” for its user, or set DATABASE_URL to PostgreSQL itself.`,
  );
}
