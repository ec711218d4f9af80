/** Asserts that a request is rejected with one clear sentence and a code, and stores nothing. */

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { isShared } from '../../src/db/index.ts';
import { ERRORS } from '../../src/errors.ts';
import { countPendingErasures } from '../../src/privacy/queries.ts';
import type { Answer, World } from './world.ts';

type Refusal = Pick<Answer, 'status' | 'headers' | 'body' | 'text'>;

/** Text that must never reach a caller: stack traces, file paths, database messages. */
const INTERNALS = /\n\s+at |node_modules|\.[jt]s:\d|sqlite|postgres|kysely|\bSQL\b|\bundefined\b|\[object /i;

/** The format of every response with a status of 400 or above. */
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

/** Checks responses one by one and reports all failures at the end. */
export class Refusals {
  readonly #problems: string[] = [];
  #count = 0;

  /** @param naming text that the message must contain if it has to name the invalid field. */
  check(answer: Refusal, expected: number | readonly number[], what: string, naming?: string): void {
    const statuses = typeof expected === 'number' ? [expected] : expected;
    const shown = `${what} → ${answer.status} ${answer.text.slice(0, 200)}`;
    this.hold(() => {
      assert.ok(statuses.includes(answer.status), shown);
      assertError(answer, shown);
      if (naming !== undefined) assert.ok(String(answer.body.error).includes(naming), `not named: ${shown}`);
    });
  }

  /** @param work throws if the response is wrong. */
  hold(work: () => void): void {
    this.#count += 1;
    try {
      work();
    } catch (error) {
      this.#problems.push((error as Error).message);
    }
  }

  end(): void {
    assert.ok(this.#count > 0, 'no case was checked');
    const { length } = this.#problems;
    assert.equal(length, 0, `${length} of ${this.#count}:\n${this.#problems.join('\n')}`);
  }
}

/** Tables that change without a request, or seconds after it. */
const UNSTEADY = new Set([
  'accuracy_counts',
  'accuracy_days',
  'api_key_hashes',
  'api_keys',
  'cohort_days',
  'count_days',
  'count_quarters',
  'daily_usage',
  'journals',
  'leases',
  'link_days',
  'memberships',
  'pending_counts',
  'rate_limits',
  'retention_clock',
  'sessions',
  'users',
]);
/** Tests create keys between the calls. */
const AUDITED_KEY = '"action":"key.created"';

/** Every row of every table after accepted work has settled, for later comparison. */
export async function storedRows(world: World): Promise<Record<string, string[]>> {
  const { db, clickLog } = world.service;
  await clickLog.applied();
  while ((await countPendingErasures(db)).requests > 0) await sleep(20);
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

/** Runs `work`, whose requests must all be rejected without storing any data. */
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
