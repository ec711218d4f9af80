import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { readConfig } from '../../config.ts';
import { checkService } from './service.ts';

describe('the check of PUBLIC_URL', () => {
  const tokens: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    tokens.push(headers.authorization);
    response.end('{"status":"ok"}');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('sends the admin token over an unencrypted connection to this machine alone', async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    // A name server that sends every name here.
    mock.method(dns, 'lookup', (_name: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]),
    );
    for (const [host, hasToken] of [
      ['127.0.0.1', true],
      ['links.example.com', false],
      ['localhost.example.com', false],
      ['127.example.com', false],
    ] as const) {
      tokens.length = 0;
      const findings = await checkService(
        readConfig({
          ...{ DATA_DIR: join(tmpdir(), 'throughline-no-data'), ADMIN_TOKEN: 'token' },
          PUBLIC_URL: `http://${host}:${port}`,
        }),
      );
      assert.equal(tokens.includes('Bearer token'), hasToken, host);
      assert.equal(tokens.length, hasToken ? 2 : 1, host);
      assert.equal(
        findings.some(({ check, status }) => check === 'public_url.scheme' && status === 'fault'),
        !hasToken,
        host,
      );
    }
  });
});
