/** Repeated load leaks neither memory nor descriptors. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounted } from '../helpers/counts.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { INSPECTED_ENV, Inspector, openDescriptors } from '../helpers/inspected.ts';
import { mixedRound } from '../helpers/mixed-round.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import { callServer, waitingFor } from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const ADMIN_TOKEN = 'an admin token for tests only';
const LINKS = 5;
/** Compilation, caches and connections have settled after these rounds. */
const WARM_UP_ROUNDS = 2;
const ROUNDS = 3;
/** Less than a kilobyte for each request of a round. */
const MAX_GROWTH_BYTES = 512 * 1024;
/** Idle connections are closed after ten seconds. */
const AT_REST_AFTER_MS = 12_000;

for (const engine of engines)
  describe(`repeated load on ${engine}`, { skip: process.platform !== 'linux' }, () => {
    let place: Place;
    let receiver: ReceiverProcess | undefined;
    let server: RunningServer;
    let clicks = 0;
    let descriptorsBefore = 0;
    const bytesInUse: number[] = [];

    before(async () => {
      place = await makePlace(engine);
      receiver = await ReceiverProcess.start();
      const env = { BOOTSTRAP_LIVE_KEY: KEY, ADMIN_TOKEN, TRUST_PROXY: '1' };
      server = await startServer(place, { ...env, ...RECEIVER_ENV, ...INSPECTED_ENV });
      const { url } = server;
      const webhookIds = await subscribe(server, receiver);
      const shortCodes = await Promise.all(Array.from({ length: LINKS }, () => makePlayLink(url, KEY)));
      await using inspector = await Inspector.open(server);
      for (let round = 1; round <= WARM_UP_ROUNDS + ROUNDS; round++) {
        clicks += await mixedRound({ url, key: KEY, adminToken: ADMIN_TOKEN, shortCodes });
        await waitFor('every delivery to end', () => nothingWaits(place, webhookIds));
        if (round < WARM_UP_ROUNDS) continue;
        if (round === WARM_UP_ROUNDS) descriptorsBefore = await descriptorsAtRest(server);
        bytesInUse.push(await inspector.bytesInUse());
      }
    });
    after(async () => {
      await server?.end('SIGTERM');
      await receiver?.stop();
      await place?.remove();
    });

    it('does not leak half a megabyte in every round', () => {
      // Caches make some rounds grow; a leak makes all rounds grow.
      const growths = bytesInUse.slice(1).map((bytes, round) => bytes - (bytesInUse[round] ?? 0));
      assert.equal(growths.length, ROUNDS);
      assert.ok(Math.min(...growths) < MAX_GROWTH_BYTES, `rounds grew by ${growths.join(', ')} bytes`);
    });

    it('leaves no additional file or socket open', async () => {
      await waitFor(
        `no more than ${descriptorsBefore} descriptors`,
        async () => (openDescriptors(server) <= descriptorsBefore ? true : undefined),
        { withinMs: 30_000 },
      );
    });

    it('stores every acknowledged click, and counts every record once', async () => {
      assert.equal(Number((await queryStored(place, 'select count(*) as n from clicks'))[0]?.n), clicks);
      await assertCounted(place);
    });
  });

async function nothingWaits(place: Place, webhookIds: readonly string[]): Promise<true | undefined> {
  const waiting = await Promise.all(webhookIds.map((id) => waitingFor(place, id)));
  return waiting.every((count) => count === 0) ? true : undefined;
}

/** Measured after idle connections are closed. */
async function descriptorsAtRest(server: RunningServer): Promise<number> {
  await sleep(AT_REST_AFTER_MS);
  return openDescriptors(server);
}

/** One receiver accepts all requests; the other rejects some. */
async function subscribe(server: RunningServer, receiver: ReceiverProcess): Promise<string[]> {
  await receiver.behave('/flaky', { kind: 'answer', status: 200, refusesOneOf: 20 });
  const ids: string[] = [];
  for (const path of ['/steady', '/flaky']) {
    const body = { url: receiver.url(path), secret: 'a secret', events: [] };
    ids.push((await callServer(server, KEY, ['POST', '/v1/webhooks', body])).id);
  }
  return ids;
}
