/** The same work again and again: what a service holds on to is what it held on to after the first time. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RECEIVER_ENV } from './contract/webhook-receiver.ts';
import { assertCounted } from './counts.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { INSPECTED_ENV, Inspector, openDescriptors } from './inspected.ts';
import { mixedRound } from './mixed-round.ts';
import { makePlayLink, type RunningServer, startServer } from './process.ts';
import { queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';
import { ReceiverProcess } from './webhook-receiver-process.ts';
import { callServer, waitingFor } from './webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const ADMIN_TOKEN = 'an admin token for tests only';
const LINKS = 5;
/** What is compiled, cached and connected once is there after these. */
const WARM_UP_ROUNDS = 2;
const ROUNDS = 3;
/** Less than a kilobyte for each request of a round. */
const MAX_GROWTH_BYTES = 512 * 1024;
/** Connections that nobody uses are closed after ten seconds. */
const AT_REST_AFTER_MS = 12_000;

for (const engine of engines)
  describe(`the same load again and again, ${engine}`, { skip: process.platform !== 'linux' }, () => {
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
        await waitFor('every webhook was told', () => nothingWaits(place, webhookIds));
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

    it('does not leave half a megabyte in use, once garbage is collected, with every round', () => {
      // What is cached makes some rounds grow; what leaks makes all of them.
      const growths = bytesInUse.slice(1).map((bytes, round) => bytes - (bytesInUse[round] ?? 0));
      assert.equal(growths.length, ROUNDS);
      assert.ok(Math.min(...growths) < MAX_GROWTH_BYTES, `rounds grew by ${growths.join(', ')} bytes`);
    });

    it('leaves no file and no socket open when it ends', async () => {
      await waitFor(
        `no more than ${descriptorsBefore} descriptors`,
        async () => (openDescriptors(server) <= descriptorsBefore ? true : undefined),
        { withinMs: 30_000 },
      );
    });

    it('leaves every click that was answered in the database, and every record counted once', async () => {
      assert.equal(Number((await queryStored(place, 'select count(*) as n from clicks'))[0]?.n), clicks);
      await assertCounted(place);
    });
  });

async function nothingWaits(place: Place, webhookIds: readonly string[]): Promise<true | undefined> {
  const waiting = await Promise.all(webhookIds.map((id) => waitingFor(place, id)));
  return waiting.every((count) => count === 0) ? true : undefined;
}

/** Once the connections that nobody uses any more are closed. */
async function descriptorsAtRest(server: RunningServer): Promise<number> {
  await sleep(AT_REST_AFTER_MS);
  return openDescriptors(server);
}

/** One receiver takes everything at once; the other refuses some of what comes at first. */
async function subscribe(server: RunningServer, receiver: ReceiverProcess): Promise<string[]> {
  await receiver.behave('/flaky', { kind: 'answer', status: 200, refusesOneOf: 20 });
  const ids: string[] = [];
  for (const path of ['/steady', '/flaky']) {
    const body = { url: receiver.url(path), secret: 'a secret', events: [] };
    ids.push((await callServer(server, KEY, ['POST', '/v1/webhooks', body])).id);
  }
  return ids;
}
