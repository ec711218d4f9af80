/** The client of packages/server/src/generated, as its users have it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { clicksByCampaign, connect, errorOf, installsByMethod, newLink } from './fixtures/client/program.ts';
import { engines } from './helpers/engines.ts';
import { IPHONE_FINGERPRINT, useWorld } from './helpers/world.ts';

const PAGE = 'https://www.example.com/shoes/42';

describe('the generated client', () => {
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
  describe(`the generated client on ${engine}`, () => {
    const world = useWorld(engine);

    it('creates a link, lists all pages of installs, reads statistics and gets errors', async () => {
      const { api } = world.service;
      await api.listen({ host: '127.0.0.1', port: 0 });
      const { port } = api.server.address() as AddressInfo;
      const app = await world.newApp();
      const client = connect(`http://127.0.0.1:${port}`, app.keys.live);

      const key = randomUUID();
      const link = {
        deepLinkPath: '/shoes/42',
        shortCode: `shoes-${engine}`,
        campaignId: 'spring',
        fallbackUrl: PAGE,
      };
      assert.equal(await newLink(client, link, key), `shoes-${engine} SPRING`);
      assert.equal(
        await newLink(client, link, key),
        `shoes-${engine} SPRING`,
        'the key makes it one request',
      );
      for (let count = 0; count < 3; count += 1)
        await world.install(app, { fingerprint: IPHONE_FINGERPRINT });
      await world.tap(`shoes-${engine}`);

      assert.equal((await installsByMethod(client)).ORGANIC, 3);
      assert.equal((await clicksByCampaign(client)).get('spring'), 1);
      assert.match((await errorOf(client, 'unknown')) ?? '', /^link\.not_found: There is no link/);
      assert.equal(await errorOf(client, `shoes-${engine}`), null);
    });
  });
