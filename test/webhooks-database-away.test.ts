/** An attempt that ends while the database is away: how it ended is recorded once it is back, and nothing is sent twice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_ENV } from './contract/webhook-receiver.ts';
import { deliveriesOf, newWebhook } from './contract/webhooks.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { waitFor } from './wait-for.ts';
import { freshAddress, type TestApp, World } from './world.ts';

/** Which of record and look comes first after an outage is chance. */
const OUTAGES = 4;
/** Longer than an attempt may take, so that it looks like one that nobody will record. */
const AWAY_MS = 20_000;
/** By then, both what records and what looks for abandoned attempts have met the fault. */
const NOTICED_AFTER_MS = 1_200;
/** What would be sent again has been by then: it is looked for each second, and tried again after one. */
const SENT_AGAIN_WITHIN_MS = 3_000;

describe('webhook attempts while PostgreSQL is away', { skip: !engines.includes('postgres') }, () => {
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

  it('are recorded when it is back, and none is sent twice', { timeout: 60_000 }, async () => {
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
        assert.equal(received.length, outage, 'it was sent again');
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
