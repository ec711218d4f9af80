/** A chat that takes one message a second: a burst arrives whole, over a kill and from two processes at once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePlace, neutralEngines, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../helpers/webhook-receiver.ts';
import { type Behaviour, ReceiverProcess } from '../helpers/webhook-receiver-process.ts';
import { callServer, waitingFor } from '../helpers/webhook-scene.ts';

const KEY = 'svc_live_0123456789abcdef';
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '127.0.0.1/32', ...RECEIVER_ENV };
const BURST = 30;
const WITHIN_MS = 60_000;
const LIMITED: Behaviour = { kind: 'limited', everyMs: 1_000 };

/** Each install has its own address. */
async function install(server: RunningServer, nth: number): Promise<void> {
  const answer = await fetch(`${server.url}/v1/sdk/install`, {
    method: 'POST',
    headers: {
      'x-api-key': KEY,
      'content-type': 'application/json',
      'x-forwarded-for': `198.51.100.${nth + 1}`,
    },
    body: JSON.stringify({ fingerprint: { platform: 'IOS' } }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

for (const engine of neutralEngines)
  describe(`a burst to a chat on ${engine}`, () => {
    let places: Place[] = [];
    let receiver: ReceiverProcess;
    const servers: RunningServer[] = [];

    before(async () => {
      places = [await makePlace(engine), await makePlace('sqlite')];
      receiver = await ReceiverProcess.start();
    });
    after(async () => {
      for (const server of servers) await server.end('SIGKILL');
      await receiver?.stop();
      for (const place of places) await place.remove();
    });

    async function start(dataDir?: string): Promise<RunningServer> {
      const place = places[0] as Place;
      const server = await startServer(place, dataDir === undefined ? ENV : { ...ENV, DATA_DIR: dataDir });
      servers.push(server);
      return server;
    }

    async function newHook(server: RunningServer, path: string, fields: object, ...steps: Behaviour[]) {
      await receiver.behave(path, ...steps);
      const body = { url: receiver.url(path), events: ['install.organic'], ...fields };
      return (await callServer(server, KEY, ['POST', '/v1/webhooks', body])).id as string;
    }

    /** Waits for each message to be taken. */
    async function allTaken(path: string, count: number, withinMs: number) {
      return await waitFor(
        `${count} messages to be taken`,
        async () => {
          const taken = (await receiver.received(path)).filter(({ status }) => status === 200);
          return new Set(taken.map(({ webhookId }) => webhookId)).size >= count ? taken : undefined;
        },
        { withinMs },
      );
    }

    it(`${BURST} messages at once all arrive within a minute, none refused`, async () => {
      const server = await start();
      const id = await newHook(server, '/burst', { template: 'slack' }, LIMITED);
      await Promise.all(Array.from({ length: BURST }, (_, nth) => install(server, nth)));
      await allTaken('/burst', BURST, WITHIN_MS);
      assert.equal((await receiver.received('/burst')).length, BURST);
      await callServer(server, KEY, ['DELETE', `/v1/webhooks/${id}`]);
    });

    it('a process killed during a pause loses no message and sends none before its end', async () => {
      const first = servers[0] as RunningServer;
      const pauseMs = 8_000;
      const paused = {
        kind: 'answer',
        status: 429,
        headers: { 'retry-after': String(pauseMs / 1_000) },
      } as const;
      const id = await newHook(first, '/killed', { secret: 'a secret' }, paused, {
        kind: 'answer',
        status: 200,
      });
      for (let nth = 0; nth < 5; nth++) await install(first, 100 + nth);
      const begunMs = await waitFor('the pause', async () => {
        const [webhook] = await callServer(first, KEY, ['GET', '/v1/webhooks']);
        return webhook.health.pausedUntil === null
          ? undefined
          : Date.parse(webhook.health.pausedUntil) - pauseMs;
      });
      const before = (await receiver.received('/killed')).length;
      await first.end('SIGKILL');
      await start();
      await allTaken('/killed', 5, WITHIN_MS);
      const receipts = await receiver.received('/killed');
      for (const { atMs } of receipts.slice(before))
        assert.ok(
          atMs >= begunMs + pauseMs,
          `sent ${begunMs + pauseMs - atMs} ms before the end of the pause`,
        );
      await waitFor('the queue to be empty', async () =>
        (await waitingFor(places[0] as Place, id)) === 0 ? true : undefined,
      );
    });

    if (engine === 'postgres')
      it('two processes keep the pace of one chat together', async () => {
        const one = servers.at(-1) as RunningServer;
        const two = await start(places[1]?.dataDir);
        await newHook(one, '/shared', { template: 'slack' }, LIMITED);
        await sleep(1_000);
        const installs = Array.from({ length: 12 }, (_, nth) =>
          install(nth % 2 === 0 ? one : two, 200 + nth),
        );
        await Promise.all(installs);
        await allTaken('/shared', 12, WITHIN_MS);
        assert.equal((await receiver.received('/shared')).length, 12, 'an attempt was refused');
      });
  });
