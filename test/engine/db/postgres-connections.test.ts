import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { settingsOf } from '../../../src/db/postgres/connections.ts';
import { engines } from '../../helpers/engines.ts';

describe('the parameters of DATABASE_URL', { skip: !engines.includes('postgres') }, () => {
  it('are passed to the connection, except those that the service sets itself', async () => {
    const options = encodeURIComponent('-c work_mem=5MB -c timezone=Asia/Tokyo -c datestyle=German');
    const client = new pg.Client(
      settingsOf(
        `${process.env.TEST_DATABASE_URL}?application_name=mine&options=${options}&client_encoding=latin1&statement_timeout=1&binary=true`,
      ),
    );
    await client.connect();
    const asked = client.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings
       where name in ('work_mem', 'TimeZone', 'DateStyle', 'application_name', 'client_encoding', 'statement_timeout', 'idle_in_transaction_session_timeout')`,
    );
    const { rows } = await asked.finally(() => client.end());
    assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
      application_name: 'throughline',
      client_encoding: 'UTF8',
      DateStyle: 'ISO, DMY',
      idle_in_transaction_session_timeout: '30000',
      statement_timeout: '0',
      TimeZone: 'UTC',
      work_mem: '5120',
    });
  });
});
