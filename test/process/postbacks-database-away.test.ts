/** A postback that cannot be stored gets 500, the status that every device retries. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { ADATTRIBUTIONKIT_PATH, SKADNETWORK_PATH } from '../helpers/postback-scene.ts';
import { WINNING_POSTBACK } from '../helpers/postbacks.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';

describe('a postback while PostgreSQL refuses connections', { skip: !engines.includes('postgres') }, () => {
  let place: Place;
  let proxy: TcpProxy;
  let server: RunningServer;

  before(async () => {
    place = await makePlace('postgres');
    proxy = await TcpProxy.open(place.databaseUrl ?? '');
    server = await startServer(place, { DATABASE_URL: proxy.through(place.databaseUrl ?? '') });
  });
  after(async () => {
    await server?.end('SIGKILL');
    await proxy?.cut();
    await place?.remove();
  });

  const send = (path: string, body: unknown) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('gets 500, and 200 once the database is back', async () => {
    await proxy.cut();
    for (const [path, body] of [
      [SKADNETWORK_PATH, WINNING_POSTBACK],
      [ADATTRIBUTIONKIT_PATH, { 'jws-string': 'a.b.c' }],
    ] as const) {
      const answer = await send(path, body);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers.get('x-service-error'), 'postback.not_stored');
    }
    await proxy.restore();
    const answer = await send(SKADNETWORK_PATH, WINNING_POSTBACK);
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { isCopy: boolean }).isCopy, false);
  });
});
