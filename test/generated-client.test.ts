/** @throughline/server, as its users have it, with the real service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { createThroughlineClient } from '../packages/server/src/index.ts';
import { clicksByCampaign, errorOf, installsByMethod, newLink } from './fixtures/client/program.ts';
import { engines } from './helpers/engines.ts';
import { IPHONE_FINGERPRINT, useWorld, type World } from './helpers/world.ts';

const PAGE = 'https://www.example.com/shoes/42';

describe('the package for servers', () => {
  it('compiles in a strict program without casts, and mistakes do not', async () => {
    const compiler = execFile(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '-p', 'test/fixtures/client'],
      (_error, stdout) => assert.equal(stdout, ''),
    );
    const [status] = await once(compiler, 'exit');
    assert.equal(status, 0);
  });
});

for (const engine of engines)
  describe(`the package for servers on ${engine}`, () => {
    const world = useWorld(engine);

    it('creates a link, lists installs, reads statistics and gets errors', async () => {
      const { app, client } = await connect(world);
      const link = {
        deepLinkPath: '/shoes/42',
        shortCode: `shoes-${engine}`,
        campaignId: 'spring',
        fallbackUrl: PAGE,
      };
      assert.equal(await newLink(client, link), `shoes-${engine} SPRING`);
      for (let count = 0; count < 3; count += 1)
        await world.install(app, { fingerprint: IPHONE_FINGERPRINT });
      await world.tap(`shoes-${engine}`);

      assert.equal((await installsByMethod(client)).ORGANIC, 3);
      assert.equal((await clicksByCampaign(client)).get('spring'), 1);
      assert.match((await errorOf(client, 'unknown')) ?? '', /^404 link\.not_found: There is no link/);
      assert.equal(await errorOf(client, `shoes-${engine}`), null);
      assert.equal((await client.links.qr(`shoes-${engine}`)).type, 'image/png');
    });

    it('an error has the request ID of the answer', async () => {
      const { url } = await connect(world);
      const client = createThroughlineClient({ baseUrl: url, key: 'svc_live_none' });
      await assert.rejects(client.links.list(), ({ status, code, requestId }) => {
        assert.deepEqual([status, code], [401, 'key.invalid']);
        assert.match(requestId, /./);
        return true;
      });
    });

    it('iterates over all pages of links and events, each record once', async () => {
      const { client } = await connect(world);
      const codes: string[] = [];
      for (let count = 0; count < 7; count += 1)
        codes.unshift((await client.links.create({ deepLinkPath: `/${count}` })).shortCode);
      const found: string[] = [];
      for await (const { shortCode } of client.links.iterate({ limit: 2 })) found.push(shortCode);
      assert.deepEqual(found, codes);

      const installId = randomUUID();
      await client.sdk.recordInstall({ installId, fingerprint: IPHONE_FINGERPRINT });
      const names = Array.from({ length: 6 }, (_, index) => `event_${index}`);
      await client.sdk.recordEvents({ events: names.map((eventName) => ({ installId, eventName })) });
      const recorded: string[] = [];
      for await (const { eventName } of client.events.iterate({ installId, limit: 2 }))
        recorded.push(eventName);
      assert.deepEqual(recorded.sort(), names);
    });

    it('creates and records once what it sends again after lost answers', async () => {
      const { app, url } = await connect(world);
      const proxy = await unreliableProxy(url);
      const client = createThroughlineClient({ baseUrl: proxy.url, key: app.keys.live });

      const { id } = await client.links.create({ deepLinkPath: '/once' });
      assert.deepEqual(
        (await client.links.list()).map((link) => link.id),
        [id],
      );
      const webhook = await client.webhooks.create({ url: 'https://example.com/hook', secret: 'a secret' });
      assert.deepEqual(
        (await client.webhooks.list()).map((item) => item.id),
        [webhook.id],
      );
      await client.sdk.recordInstall({ fingerprint: IPHONE_FINGERPRINT });
      const installs = await client.installs.list();
      assert.equal(installs.length, 1);
      await client.sdk.recordEvent({ installId: installs[0]?.id ?? '', eventName: 'bought' });
      assert.equal((await client.events.list()).length, 1);
      await client.webhooks.delete(webhook.id);
      assert.deepEqual(await client.webhooks.list(), []);
      assert.equal(proxy.lost(), 5);
    });
  });

async function connect(world: World) {
  const { api } = world.service;
  if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.server.address() as AddressInfo;
  const app = await world.newApp();
  const url = `http://127.0.0.1:${port}`;
  return { app, url, client: createThroughlineClient({ baseUrl: url, key: app.keys.live }) };
}

/** Lets every change arrive: it loses the answer to the first attempt, refuses the second and answers the third. */
async function unreliableProxy(url: string) {
  let attempts = 0;
  let lost = 0;
  const proxy = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = '', headers } = request;
    const turn = method === 'GET' ? 2 : attempts++ % 3;
    if (turn === 1) return void response.writeHead(503, { 'Retry-After': '0' }).end('No backend.');
    const answer = await fetch(url + request.url, {
      method,
      headers: pick(headers, ['x-api-key', 'content-type', 'idempotency-key']),
      ...(body.length > 0 && { body }),
    });
    if (turn === 2) return void (await passOn(answer, response));
    lost += 1;
    response.destroy();
  });
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, lost: () => lost };
}

function pick(headers: NodeJS.Dict<string | string[]>, names: readonly string[]): [string, string][] {
  return names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
}

async function passOn(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}
