/** An attempt that ends during a database outage is recorded afterwards, and not sent twice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshAddress } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { deliveriesOf, newWebhook } from '../helpers/webhooks.ts';
import { type TestApp, World } from '../helpers/world.ts';

/** After an outage, either recording or the search for abandoned attempts runs first, at random. */
const OUTAGES = 3;
/** Longer than the limit of an attempt, so that it looks abandoned. */
const AWAY_MS = 20_000;
/** By then, recording and the search for abandoned attempts have both failed. */
const NOTICED_AFTER_MS = 1_200;
/** A resend would have happened by then: the search runs every second, and a retry follows one second later. */
const SENT_AGAIN_WITHIN_MS = 3_000;

describe('webhook attempts during a PostgreSQL outage', { skip: !engines.includes('postgres') }, () => {
  const received: ServerResponse[] = [];
  const receiver = createServer((request, response) => {
    request.resume();
    received.push(response);
  });
  let place: Place;
  let proxy: TcpProxy;
  let world: World;

  before(async () => {
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    place = await makePlace('postgres');
    proxy = await TcpProxy.open(place.databaseUrl ?? '');
    world = new World('postgres', {
      ...RECEIVER_ENV,
      DATABASE_URL: proxy.through(place.databaseUrl ?? ''),
      LOG_LEVEL: 'silent',
    });
    await world.open();
  });
  after(async () => {
    await proxy?.restore();
    await world?.remove();
    await proxy?.cut();
    await place?.remove();
    receiver.closeAllConnections();
    receiver.close();
  });

  async function install(app: TestApp): Promise<void> {
    const { status } = await world.install(app, {}, { from: freshAddress() });
    assert.equal(status, 200);
  }

  it('are recorded after it, and none is sent twice', { timeout: 60_000 }, async () => {
    const app = await world.newApp();
    const { port } = receiver.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const { id } = await newWebhook(world, app, { url, events: ['install.organic'] });
    for (let outage = 1; outage <= OUTAGES; outage++) {
      await install(app);
      const response = await waitFor('an attempt', async () => received[outage - 1]);
      await proxy.cut();
      response.end();
      await sleep(NOTICED_AFTER_MS);
      world.clock.advance(AWAY_MS);
      await proxy.restore();
      await waitFor('its record', async () => {
        assert.equal(received.length, outage, 'a message was sent again');
        return (await deliveriesOf(world, app, id)).length === outage || undefined;
      });
    }
    await sleep(SENT_AGAIN_WITHIN_MS);
    assert.equal(received.length, OUTAGES);
    const attempts = await deliveriesOf(world, app, id);
    assert.deepEqual(
      attempts.map(({ success }) => success),
      Array.from({ length: OUTAGES }, () => true),
    );
  });
});
