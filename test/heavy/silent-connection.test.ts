/** A connection on which PostgreSQL stops responding, as after a failover. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';
import { engines, makePlace } from '../helpers/engines.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';

describe('a connection to PostgreSQL that stops responding', { skip: !engines.includes('postgres') }, () => {
  it('fails the statement that waits on it, and no other', { timeout: 60_000 }, async (t) => {
    const place = await makePlace('postgres');
    const proxy = await TcpProxy.open(place.databaseUrl ?? '');
    const config = { databaseUrl: proxy.through(place.databaseUrl ?? ''), dataDir: place.dataDir };
    const store = await openStore(
      config,
      () => ({}),
      createLog('silent'),
      () => undefined,
    );
    t.after(async () => {
      await proxy.cut();
      await store.close();
      await place.remove();
    });
    const ask = () => sql`select 1`.execute(store.db);
    await ask();
    proxy.fallSilent();
    await assert.rejects(ask, /timeout/);
    proxy.takeAnew();
    await ask();
  });
});
