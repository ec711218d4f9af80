import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import pino from 'pino';
import { neutralEngines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { IPHONE, useWorld } from '../../helpers/world.ts';

interface Line {
  readonly msg: string;
  readonly route: string | null;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  readonly requestId: string;
}

for (const engine of neutralEngines)
  describe(`the access log on ${engine}`, () => {
    const texts: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => texts.push(line) });
    const world = useWorld(engine, { ACCESS_LOG: '1' }, { log });

    it('has a line for each request, with neither address, key, query nor identifier', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      await world.service.api.listen({ port: 0, host: '127.0.0.1' });
      const address = world.service.api.server.address();
      assert.ok(address !== null && typeof address === 'object');
      const base = `http://127.0.0.1:${address.port}`;
      texts.length = 0;
      const headers = { 'x-api-key': app.keys.live, 'x-forwarded-for': '203.0.113.77', 'user-agent': IPHONE };
      const paths = [
        `/l/${shortCode}?utm_source=a-secret-word`,
        '/v1/privacy/erase/01a2188e-4689-7c9f-abe4-8938ca40ea2a',
        '/a/path/of/ada@example.com?token=a-secret-word',
        '/healthz',
      ];
      for (const path of paths) await (await fetch(`${base}${path}`, { headers, redirect: 'manual' })).text();
      const lines = await waitFor('the lines', () => {
        const found = texts.map((text) => JSON.parse(text) as Line).filter(({ msg }) => msg === 'request');
        return found.length >= paths.length ? found : undefined;
      });
      assert.deepEqual(
        lines.map(({ route, status }) => [route, status]),
        [
          [`/l/${shortCode}`, lines[0]?.status],
          ['/v1/privacy/erase/:requestId', 404],
          [null, 404],
          ['/healthz', 200],
        ],
      );
      for (const line of lines)
        assert.ok(
          line.bytes > 0 && line.ms >= 0 && /^[\w-]+$/.test(line.requestId ?? ''),
          JSON.stringify(line),
        );
      const all = texts.join('');
      for (const secret of ['127.0.0.1"', '203.0.113.77', 'a-secret-word', 'ada@', app.keys.live, '01a2188e'])
        assert.ok(!all.includes(secret), secret);
      world.service.api.server.close();
      await once(world.service.api.server, 'close');
    });
  });
