/** One postback sent to two processes on one PostgreSQL concurrently. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { SKADNETWORK_PATH } from '../helpers/postback-scene.ts';
import { APP_STORE_ID, FIRST_POSTBACK, WINNING_POSTBACK } from '../helpers/postbacks.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import { callServer, waitingFor } from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const ADMIN_TOKEN = 'an admin token for tests only';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, ADMIN_TOKEN, WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
const POSTBACKS = [WINNING_POSTBACK, FIRST_POSTBACK];
const TIMES = 9;
/** Surplus deliveries would have arrived by then. */
const LONG_ENOUGH_MS = 1_500;

describe('a postback on two processes', { skip: !engines.includes('postgres') }, () => {
  let places: Place[] = [];
  let receiver: ReceiverProcess;
  let servers: RunningServer[] = [];

  before(async () => {
    const place = await makePlace('postgres');
    const other = await makePlace('sqlite');
    places = [place, other];
    receiver = await ReceiverProcess.start();
    servers = [await startServer(place, ENV)];
    servers.push(await startServer(place, { ...ENV, DATA_DIR: other.dataDir }));
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const apps = `${servers[0]?.url}/v1/admin/apps`;
    const [app] = (await (await fetch(apps, { headers })).json()) as { id: string }[];
    const body = JSON.stringify({ iosAppStoreId: APP_STORE_ID });
    assert.equal((await fetch(`${apps}/${app?.id}`, { method: 'PATCH', headers, body })).status, 200);
  });
  after(async () => {
    for (const server of servers) await server.end('SIGKILL');
    await receiver?.stop();
    for (const place of places.toReversed()) await place.remove();
  });

  it('of version 3.0 or 4.0, sent concurrently nine times to each, is stored once and triggers one webhook', async () => {
    const path = '/postbacks';
    const hook = { url: receiver.url(path), secret: 'a secret', events: ['skan.postback_received'] };
    const { id } = await callServer(servers[0] as RunningServer, KEY, ['POST', '/v1/webhooks', hook]);
    // Waits until the other process has loaded the webhook.
    await sleep(1_000);
    const answers = await Promise.all(
      POSTBACKS.flatMap((postback) =>
        Array.from({ length: TIMES }, () => servers)
          .flat()
          .map(({ url }) =>
            fetch(url + SKADNETWORK_PATH, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(postback),
            }),
          ),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const place = places[0] as Place;
    await waitFor('all deliveries to end', async () =>
      (await receiver.state(path)).arrived >= POSTBACKS.length && (await waitingFor(place, id)) === 0
        ? true
        : undefined,
    );
    await sleep(LONG_ENOUGH_MS);
    const bodies = (await receiver.received(path)).map(({ body }) => Buffer.from(body, 'base64').toString());
    assert.equal(bodies.length, POSTBACKS.length);
    for (const { 'transaction-id': transactionId } of POSTBACKS)
      assert.equal(bodies.filter((body) => body.includes(transactionId)).length, 1);
    for (const { 'transaction-id': transactionId } of POSTBACKS) {
      const stored = await queryStored(
        place,
        `select times_received from postbacks where transaction_id = '${transactionId}'`,
      );
      assert.deepEqual(
        stored.map((row) => Number(row.times_received)),
        [2 * TIMES],
      );
    }
  });
});
