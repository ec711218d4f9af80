/** Requests that reach no endpoint, such as invalid HTTP, get errors in the usual format. */
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { before, describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

/** Sends raw bytes and returns all received text once the server has closed the connection. */
async function exchange(
  port: number,
  bytes: string,
): Promise<{ status: number; headers: Headers; body: string }> {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received)).on('error', reject);
  });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [start = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { status: Number(start.split(' ')[1]), headers: new Headers(pairs), body };
}

for (const engine of engines.slice(0, 1))
  describe('requests that reach no endpoint', () => {
    const world = useWorld(engine);
    let port = 0;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      port = (world.service.api.server.address() as AddressInfo).port;
    });

    const start = 'GET /v1/links HTTP/1.1\r\n';
    for (const [what, status, bytes] of [
      ['bytes that are not HTTP', 400, 'NONSENSE\r\n\r\n'],
      ['a Content-Length that is not a number', 400, `${start}Host: x\r\nContent-Length: ten\r\n\r\n`],
      ['a request without Host', 400, `${start}Connection: close\r\n\r\n`],
      ['too large headers', 431, `${start}Host: x\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`],
      ['a path that cannot be decoded', 400, 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ] as const) {
      it(`${what}: ${status}, with the one field error and X-Service-Error`, async () => {
        const answer = await exchange(port, bytes);
        assert.equal(answer.status, status);
        assert.deepEqual(Object.keys(JSON.parse(answer.body)), ['error']);
        assert.match(answer.headers.get('x-service-error') ?? '', /^request\.[a-z_]+$/);
      });

      it(`${what}: the response has X-Request-Id`, async () => {
        const answer = await exchange(port, bytes);
        assert.match(answer.headers.get('x-request-id') ?? '', /^[\w.:-]{8,64}$/);
      });
    }
  });
