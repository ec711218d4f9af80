import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, portOf, post, receive, until } from '../../../test/helpers/outgoing-receiver.ts';
import { parseNetworks } from './target.ts';

const NONE = parseNetworks([]);
const PUBLIC = '203.0.114.1';

describe('timeouts', () => {
  const late = { name: 'OutgoingError', reason: 'timeout', message: 'No complete response within 0.3 s.' };

  it('a server that does not respond times out', async () => {
    const receiver = await receive(() => undefined);
    await assert.rejects(post(receiver.url, { timeoutMs: 300 }), late);
    await until(() => receiver.open === 0);
  });

  it('a slow response body times out', async () => {
    const receiver = await receive((_request, response) => {
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    await assert.rejects(post(receiver.url, { timeoutMs: 300 }), late);
    await until(() => receiver.open === 0);
  });

  it('endless headers time out', async () => {
    const receiver = await receive(({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    await assert.rejects(post(receiver.url, { timeoutMs: 300 }), late);
  });

  it('a slow DNS lookup times out, and nothing is sent later', async () => {
    const receiver = await receive((_request, response) => response.end());
    const { promise, resolve } = Promise.withResolvers<string[]>();
    const slow = create({ resolve: () => promise });
    await assert.rejects(post(`http://slow.example.com:${portOf(receiver)}`, { timeoutMs: 300 }, slow), late);
    resolve(['127.0.0.1']);
    await until(() => receiver.connections === 1);
    await sleep(50);
    assert.deepEqual(receiver.bodies, []);
  });

  it('the wait for a connection counts, and a timed out request is not sent', async () => {
    const receiver = await receive(() => undefined);
    const requests = [300, 300, 200, 200].map((timeoutMs) => post(receiver.url, { timeoutMs }));
    for (const result of await Promise.allSettled(requests)) assert.equal(result.status, 'rejected');
    await sleep(100);
    assert.equal(receiver.bodies.length, 2);
  });
});

describe('failed connections', () => {
  it('a refused connection is reported without its address', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const refused = { name: 'OutgoingError', reason: 'connection', message: 'The connection was refused.' };
    await assert.rejects(post(`http://127.0.0.1:${port}`), refused);
    await assert.rejects(post(`http://localhost:${port}`), refused);
  });

  it('a reset and a close before the end of the response are reported', async () => {
    const reset = await receive((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('abc', () => response.socket?.resetAndDestroy());
    });
    await assert.rejects(post(reset.url), {
      reason: 'connection',
      message: 'The connection was reset before the response was complete.',
    });
    for (const headers of [{ 'content-length': 10 }, {}]) {
      const closed = await receive((_request, response) => {
        response.writeHead(200, headers);
        response.write('abc', () => response.socket?.end());
      });
      await assert.rejects(post(closed.url), {
        reason: 'connection',
        message: 'The connection was closed before the response was complete.',
      });
    }
    const silent = await receive(({ socket }) => socket.end());
    await assert.rejects(post(silent.url), { reason: 'connection' });
  });

  it('a response that is not HTTP is reported', async () => {
    for (const answer of [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n',
      '\0\0\0',
    ]) {
      const receiver = await receive(({ socket }) => socket.write(answer));
      await assert.rejects(post(receiver.url), {
        reason: 'protocol',
        message: 'The response is not valid HTTP.',
      });
    }
  });

  it('response headers are bounded', async () => {
    const receiver = await receive(({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
    );
    await assert.rejects(post(receiver.url), { reason: 'protocol' });
  });

  it('an unrequested upgrade fails', async () => {
    const receiver = await receive(({ socket }) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    await assert.rejects(post(receiver.url), { reason: 'protocol' });
  });
});

describe('refused targets', () => {
  it('a private address is refused for each request, before it connects', async () => {
    const receiver = await receive((_request, response) => response.end());
    const guarded = create({ allowed: NONE });
    for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost'])
      await assert.rejects(post(`http://${host}:${portOf(receiver)}`, {}, guarded), {
        reason: 'refused_target',
        message: 'The address must not lead to a private, loopback, link-local or reserved address.',
      });
    await assert.rejects(post(receiver.url.replace('//', '//user@'), {}), {
      reason: 'refused_target',
      message: 'The address must not hold a user name or password.',
    });
    await assert.rejects(post('ftp://example.com'), { reason: 'refused_target' });
    assert.equal(receiver.connections, 0);
  });

  for (const [title, answers] of [
    ['only private answers', ['127.0.0.1']],
    ['a private answer after a public one', [PUBLIC, '127.0.0.1']],
    ['a private answer before a public one', ['127.0.0.1', PUBLIC]],
    ['an IPv4-mapped private answer', ['::ffff:127.0.0.1']],
    ['a NAT64 answer', ['64:ff9b::7f00:1']],
    ['something that is no address', ['localhost']],
  ] as const)
    for (const scheme of ['http', 'https'])
      it(`a name with ${title} is refused over ${scheme}, and the message omits the address`, async () => {
        const receiver = await receive((_request, response) => response.end());
        const guarded = create({ allowed: NONE, resolve: async () => answers });
        await assert.rejects(post(`${scheme}://evil.example.com:${portOf(receiver)}`, {}, guarded), {
          reason: 'refused_target',
          message: 'The address must not lead to a private, loopback, link-local or reserved address.',
        });
        assert.equal(receiver.connections, 0);
      });

  it('a name is resolved once per connection, which prevents DNS rebinding', async () => {
    const receiver = await receive((_request, response) => response.end());
    let asked = 0;
    const resolve = async (): Promise<string[]> => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
    };
    const rebound = create({ resolve, connectionsPerOrigin: 1 });
    const url = `http://rebind.example.com:${portOf(receiver)}`;
    assert.equal((await post(url, {}, rebound)).status, 200);
    assert.equal((await post(url, {}, rebound)).status, 200);
    assert.equal(asked, 1);
    receiver.dropConnections();
    await until(() => receiver.open === 0);
    await assert.rejects(post(url, {}, rebound), { reason: 'refused_target' });
    assert.equal(asked, 2);
  });

  it('an unknown name is reported', async () => {
    const message = 'Failed to resolve nowhere.example.com.';
    for (const resolve of [async () => [], () => Promise.reject(new Error('10.0.0.53 does not answer'))])
      await assert.rejects(post('http://nowhere.example.com', {}, create({ resolve })), {
        reason: 'dns',
        message,
      });
  });
});
