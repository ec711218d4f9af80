import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { after, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { certify } from '../../../test/helpers/certify.ts';
import { createOutgoing, parseNetworks } from './index.ts';

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const trusted = certify(keys.privateKey, keys.publicKey, 'hook.example.com', '20200101', '20490101');
const expired = certify(keys.privateKey, keys.publicKey, 'hook.example.com', '20200101', '20210101');
setDefaultCACertificates([...getCACertificates('default'), trusted, expired]);

const outgoing = createOutgoing({
  allowed: parseNetworks(['127.0.0.0/8']),
  connectionsPerOrigin: 2,
  resolve: async () => ['127.0.0.1'],
});
const servers: Server[] = [];
after(async () => {
  await outgoing.close();
  for (const server of servers) server.close();
});

describe('outgoing requests over TLS', () => {
  it('reach the host of the certificate over kept connections', async () => {
    const { port, connections } = await serve(trusted);
    for (let i = 0; i < 5; i += 1)
      assert.deepEqual(await post(`https://hook.example.com:${port}/`), { status: 200, body: 'HTTP/1.1' });
    assert.ok(connections() <= 2);
  });

  it('a certificate for another name is refused', async () => {
    const { port } = await serve(trusted);
    for (const host of ['other.example.com', '127.0.0.1'])
      await assert.rejects(post(`https://${host}:${port}/`), {
        name: 'OutgoingError',
        reason: 'tls',
        message: 'The certificate is not valid: it is for another name.',
      });
  });

  it('an expired certificate is refused', async () => {
    const { port } = await serve(expired);
    await assert.rejects(post(`https://hook.example.com:${port}/`), {
      reason: 'tls',
      message: 'The certificate is not valid: it has expired.',
    });
  });

  it('a self-signed certificate is refused even with NODE_TLS_REJECT_UNAUTHORIZED=0', async (t) => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { port } = await serve(
      certify(own.privateKey, own.publicKey, 'x', '20200101', '20490101'),
      own.privateKey,
    );
    t.mock.method(process, 'emitWarning', () => undefined);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    t.after(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
    await assert.rejects(post(`https://x:${port}/`), {
      reason: 'tls',
      message: 'The certificate is not valid: it is self-signed.',
    });
  });

  it('a host without TLS is reported', async () => {
    const server = createTcpServer((socket) =>
      socket.on('error', () => undefined).end('220 mail.example.com\r\n'),
    );
    const port = await listen(server);
    await assert.rejects(post(`https://hook.example.com:${port}/`), {
      reason: 'tls',
      message: 'The TLS handshake failed.',
    });
  });

  it('a stalled handshake times out', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('error', () => undefined).resume()));
    await assert.rejects(post(`https://hook.example.com:${port}/`, 200), { reason: 'timeout' });
  });

  it('close ends a connection during its handshake', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    const port = await listen(server);
    const closing = createOutgoing({ allowed: parseNetworks(['127.0.0.0/8']), connectionsPerOrigin: 2 });
    const attempt = post(`https://localhost:${port}/`, 5_000, closing);
    const [socket] = await once(server, 'connection');
    const ended = once(socket, 'close', { signal: AbortSignal.timeout(1_000) });
    await Promise.all([closing.close(), assert.rejects(attempt, { name: 'AbortError' })]);
    await ended;
  });
});

async function serve(
  cert: string,
  key = keys.privateKey,
): Promise<{ port: number; connections: () => number }> {
  let count = 0;
  const pem = key.export({ type: 'pkcs8', format: 'pem' });
  // Offers HTTP/2 too.
  const server = createSecureServer({ key: pem, cert, allowHTTP1: true }, (request, response) =>
    request.on('end', () => response.end(`HTTP/${request.httpVersion}`)).resume(),
  );
  server.on('secureConnection', () => {
    count += 1;
  });
  return { port: await listen(server), connections: () => count };
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function post(url: string, timeoutMs = 5_000, by = outgoing): ReturnType<typeof outgoing.post> {
  return by.post(url, { headers: {}, body: Buffer.from('{}'), timeoutMs, maxResponseBytes: 1_000 });
}
