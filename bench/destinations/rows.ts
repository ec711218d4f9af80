/** What destinations leave in the database. */
import { countRows, type DatabaseReader, readNumber } from '../lib/database.ts';

export interface Rows {
  readonly feed: number;
  readonly queue: number;
  readonly attempts: number;
  readonly messages: number;
  /** Of the dead destination. */
  readonly dead: {
    readonly queue: number;
    readonly attempts: number;
    readonly messages: number;
    /** Of its messages. */
    readonly bytes: number;
  };
}

export async function readRows(reader: DatabaseReader, deadId: string): Promise<Rows> {
  const ofDead = (what: string, table: string, column: string) =>
    readNumber(reader, `select ${what} as n from ${table} where ${column} = $1`, [deadId]);
  return {
    feed: await countRows(reader, 'destination_feed'),
    queue: await countRows(reader, 'webhook_queue'),
    attempts: await countRows(reader, 'webhook_attempts'),
    messages: await countRows(reader, 'webhook_messages'),
    dead: {
      queue: await ofDead('count(*)', 'webhook_queue', 'webhook_id'),
      attempts: await ofDead('count(*)', 'webhook_attempts', 'webhook_id'),
      // A message of a destination names it as its record.
      messages: await ofDead('count(*)', 'webhook_messages', 'record_id'),
      bytes: await ofDead('coalesce(sum(length(body)), 0)', 'webhook_messages', 'record_id'),
    },
  };
}
