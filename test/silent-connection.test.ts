/** A connection on which PostgreSQL says nothing any more, as after a failover that closed none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../src/platform/db/index.ts';
import { createLog } from '../src/platform/log.ts';
import { engines, makePlace } from './engines.ts';
import { TcpProxy } from './tcp-proxy.ts';

describe('a connection to PostgreSQL that falls silent', { skip: !engines.includes('postgres') }, () => {
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
