/** Asserts that a request was refused with one clear sentence and a code, and stored nothing. */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isShared } from '../../src/db/index.ts';
import { ERRORS } from '../../src/errors.ts';
import { listPendingErasures } from '../../src/privacy/queries.ts';
import type { Answer, World } from './world.ts';

type Refusal = Pick<Answer, 'status' | 'headers' | 'body' | 'text'>;

/** What must never reach a caller: stacks, paths of files, the database's own words. */
const INTERNALS = /\n\s+at |node_modules|\.[jt]s:\d|sqlite|postgres|kysely|\bSQL\b|\bundefined\b|\[object /i;

/** The form of every answer of 400 and above. */
export function assertError({ status, headers, body, text }: Refusal, shown: string): void {
  assert.match(String(headers['content-type']), /^application\/json/, shown);
  assert.deepEqual(Object.keys(body ?? {}), ['error'], shown);
  assert.match(String(body.error), /^\S[^\n]+[.)>]$/, shown);
  assert.doesNotMatch(text, INTERNALS, shown);
  const code = String(headers['x-service-error']);
  assert.equal(
    (ERRORS as Record<string, readonly [number, string]>)[code]?.[0],
    status,
    `${code} of ${shown}`,
  );
  assert.match(String(headers['x-request-id']), /^[\w.:-]{1,64}$/, `x-request-id of ${shown}`);
}

/** Looks at answers one after the other and tells at the end of all that were wrong, not of the first one only. */
export class Refusals {
  readonly #problems: string[] = [];
  #count = 0;

  /** @param naming what the message must hold, where the field at fault is to be named. */
  check(answer: Refusal, expected: number | readonly number[], what: string, naming?: string): void {
    const statuses = typeof expected === 'number' ? [expected] : expected;
    const shown = `${what} → ${answer.status} ${answer.text.slice(0, 200)}`;
    this.hold(() => {
      assert.ok(statuses.includes(answer.status), shown);
      assertError(answer, shown);
      if (naming !== undefined) assert.ok(String(answer.body.error).includes(naming), `not named: ${shown}`);
    });
  }

  /** @param work throws where an answer is not as it should be. */
  hold(work: () => void): void {
    this.#count += 1;
    try {
      work();
    } catch (error) {
      this.#problems.push((error as Error).message);
    }
  }

  end(): void {
    assert.ok(this.#count > 0, 'nothing was tried');
    const { length } = this.#problems;
    assert.equal(length, 0, `${length} of ${this.#count}:\n${this.#problems.join('\n')}`);
  }
}

/** These change without a request, or a second after it. */
const UNSTEADY = new Set([
  'api_key_hashes',
  'api_keys',
  'daily_usage',
  'journals',
  'leases',
  'rate_limits',
  'retention_clock',
]);
/** Tests make keys while they call. */
const AUDITED_KEY = '"action":"key.created"';

/** Every row of every table, once what was accepted is done, to be compared with what is there later. */
export async function storedRows(world: World): Promise<Record<string, string[]>> {
  const { db, clickLog } = world.service;
  await clickLog.applied();
  while ((await listPendingErasures(db, { without: [], limit: 1 })).length > 0) await sleep(20);
  const names = isShared(db)
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table'`;
  const tables = (await names.execute(db)).rows.map(({ name }) => name).filter((name) => !UNSTEADY.has(name));
  const entries = tables.sort().map(async (name) => {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    const texts = rows.map((row) => JSON.stringify(row)).filter((text) => !text.includes(AUDITED_KEY));
    return [name, texts.sort()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Runs `work`, all of whose requests must be refused and none of which may leave anything behind. */
export async function leavesNothing(
  world: World,
  work: (refusals: Refusals) => Promise<void>,
): Promise<void> {
  const before = await storedRows(world);
  const refusals = new Refusals();
  await work(refusals);
  refusals.end();
  assert.deepEqual(await storedRows(world), before);
}
