/** Statements of a connection are prepared by name, at most 300 of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isUnavailable } from '../../../src/db/index.ts';
import { settingsOf } from '../../../src/db/postgres/connections.ts';
import { PreparingClient } from '../../../src/db/postgres/preparing-client.ts';
import { engines } from '../../helpers/engines.ts';

const MAX_PREPARED = 300;

describe('prepared statements of a connection', { skip: !engines.includes('postgres') }, () => {
  let client: PreparingClient;
  before(async () => {
    client = new PreparingClient(settingsOf(process.env.TEST_DATABASE_URL ?? ''));
    await client.connect();
  });
  after(() => client?.end());

  const run = async (text: string) => {
    const { rows } = (await (client.query(text, [7]) as Promise<unknown>)) as { rows: { n: number }[] };
    assert.equal(rows[0]?.n, 7);
  };
  const listPrepared = async () => {
    const { rows } = (await (client.query(
      'select statement from pg_prepared_statements',
    ) as Promise<unknown>)) as {
      rows: { statement: string }[];
    };
    return rows.map(({ statement }) => statement);
  };
  const textOf = (n: number) => `select $1::int as n -- text ${n}`;

  it('begin with the second use, so that texts used once take no place', async () => {
    for (let n = 0; n < 50; n++) await run(textOf(-1 - n));
    assert.deepEqual(await listPrepared(), []);
    await run(textOf(-1));
    assert.deepEqual(await listPrepared(), [textOf(-1)]);
  });

  it('are at most 300, and a new text that is used takes the place of the one used longest ago', async () => {
    for (let n = 0; n < 2 * MAX_PREPARED; n++) {
      await run(textOf(n));
      await run(textOf(n));
      // Used all the time.
      await run(textOf(0));
    }
    const prepared = new Set(await listPrepared());
    assert.equal(prepared.size, MAX_PREPARED);
    assert.ok(prepared.has(textOf(2 * MAX_PREPARED - 1)), 'the newest');
    assert.ok(prepared.has(textOf(0)), 'the one in use');
    assert.ok(!prepared.has(textOf(1)), 'one that was not used again');
  });

  it('of a failed transaction do not break the statements after it', async () => {
    await client.query('begin');
    await assert.rejects(client.query('select 1 / 0') as Promise<unknown>);
    for (let use = 0; use < 2; use++) await assert.rejects(run(`${textOf(0)} once more`), /aborted/);
    await client.query('rollback');
    for (let use = 0; use < 3; use++) await run(`${textOf(0)} once more`);
  });

  it('go on when a table gets a column, except in a transaction that has begun', async () => {
    await client.query('create temporary table grows (n int)');
    await client.query('insert into grows values (7)');
    const all = 'select * from grows where n = $1';
    for (let use = 0; use < 3; use++) await run(all);
    await client.query('alter table grows add column later int');
    await run(all);
    await client.query('begin');
    await run(all);
    await client.query('alter table grows add column last int');
    await assert.rejects(run(all), (error: Error) => isUnavailable(error));
    await client.query('rollback');
    await run(all);
  });
});
