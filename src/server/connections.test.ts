import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import pino from 'pino';
import { Registry } from 'prom-client';
import { RawConnection, rawRequest } from '../../test/helpers/raw-http.ts';
import { waitFor } from '../../test/helpers/wait-for.ts';
import { monotonicMs } from '../lib/clock.ts';
import { Connections } from './connections.ts';
import { handleClientError } from './malformed-request.ts';

/** More than the kernel buffers of both sides, so that the response blocks until the client reads. */
const LARGE = Buffer.alloc(40 * 1024 * 1024);
const MINUTE_MS = 60_000;

interface Received {
  readonly path: string;
  readonly response: ServerResponse;
}

describe('connections of a server', () => {
  it('answer pipelined requests in order and stay open', async (t) => {
    const { url } = await serve(t, ({ path, response }) =>
      setTimeout(() => response.end(path), Math.random() * 5),
    );
    const connection = await open(t, url);
    for (const round of ['a', 'b']) {
      const paths = Array.from({ length: 10 }, (_, index) => `/${round}${index}`);
      connection.send(pipeline(paths));
      assert.deepEqual(await bodies(connection, paths.length), paths);
    }
  });

  it('start a request once the previous response is sent', async (t) => {
    const { url, received } = await serve(t);
    const connection = await open(t, url);
    connection.send(pipeline(['/1', '/2']));
    await take(received, 1);
    // Node parsed both before the first callback.
    assert.equal(received.length, 1);
    received[0]?.response.end();
    await take(received, 2);
  });

  it('end after 16 unanswered requests: those are answered, later ones dropped unparsed', async (t) => {
    const { url, received, parsed, ended } = await serve(t, ({ path, response }) => response.end(path));
    const paths = Array.from({ length: 1_000 }, (_, index) => `/${index}`);
    const connection = await open(t, url);
    connection.send(pipeline(paths));
    assert.deepEqual(await bodies(connection, 15), paths.slice(0, 15));
    const last = await connection.answer();
    assert.deepEqual([last?.body, last?.headers.connection], ['/15', 'close']);
    await connection.closed();
    assert.equal(received.length, 16);
    assert.equal(parsed(), 16);
    assert.deepEqual(await ended(), { pipelined: 1 });
  });

  it('hold one response for a client that does not read, and start no other request', async (t) => {
    const { url, received, sockets } = await serve(t, ({ response }) => response.end(LARGE));
    const client = await connectPaused(t, url);
    client.write(pipeline(['/large', '/large']));
    await take(received, 1);
    await stuck(sockets[0]);
    assert.equal(received.length, 1);
    client.resume();
    await take(received, 2);
  });

  it('end after their client read nothing for a minute', async (t) => {
    const { url, connections, received, sockets, ended } = await serve(t, ({ response }) =>
      response.end(LARGE),
    );
    const client = await connectPaused(t, url);
    client.write(pipeline(['/large']));
    await take(received, 1);
    await stuck(sockets[0]);
    const startMs = monotonicMs();
    connections.check(startMs);
    connections.check(startMs + MINUTE_MS - 1);
    assert.equal(sockets[0]?.destroyed, false);
    connections.check(startMs + MINUTE_MS);
    assert.equal(sockets[0]?.destroyed, true);
    assert.deepEqual(await ended(), { stalled: 1 });
  });

  it('stay open for a client that reads slowly', async (t) => {
    // Once a client reads, the kernel may keep 36 MB for it, so that 40 MB would no longer block.
    const larger = Buffer.alloc(60 * 1024 * 1024);
    const { url, connections, received, sockets } = await serve(t, ({ response }) => response.end(larger));
    const client = await connectPaused(t, url);
    client.write(pipeline(['/large']));
    await take(received, 1);
    const startMs = monotonicMs();
    for (let minute = 0; minute < 3; minute++) {
      await stuck(sockets[0]);
      connections.check(startMs + minute * (MINUTE_MS - 1));
      await read(client, 8 * 1024 * 1024);
    }
    assert.equal(sockets[0]?.destroyed, false);
  });

  it('end when more than 64 MB are unread in total, the longest stalled first', async (t) => {
    const { url, connections, received, sockets, ended } = await serve(t, ({ response }) =>
      response.end(LARGE),
    );
    const startMs = monotonicMs();
    for (const count of [1, 2]) {
      const client = await connectPaused(t, url);
      client.write(pipeline(['/large']));
      await take(received, count);
      await stuck(sockets[count - 1]);
      connections.check(startMs + count);
    }
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [true, false],
    );
    assert.deepEqual(await ended(), { unread: 1 });
  });

  it('are evicted at the limit, except those that wait for the server', async (t) => {
    const { url, received, sockets, ended } = await serve(t, () => undefined, 3);
    const busy = await open(t, url);
    busy.send(pipeline(['/busy']));
    await take(received, 1);
    const idle = await open(t, url);
    await open(t, url);
    await waitFor('three connections', () => (sockets.length === 3 ? true : undefined), { everyMs: 5 });
    const late = await open(t, url);
    late.send(pipeline(['/late']));
    await take(received, 2);
    await idle.closed();
    assert.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [false, true, false, false],
    );
    assert.deepEqual(await ended(), { full: 1 });
  });
});

/** A server that records its requests and responds when told. */
async function serve(t: TestContext, respond: (request: Received) => void = () => undefined, max?: number) {
  const metrics = new Registry();
  const connections = new Connections({ log: pino({ level: 'silent' }), metrics }, max);
  const received: Received[] = [];
  const sockets: Socket[] = [];
  let parsed = 0;
  const server = createServer((request, response) =>
    connections.inOrder(request, response, ({ url = '' }) => {
      received.push({ path: url, response });
      respond({ path: url, response });
    }),
  );
  server.on('request', () => {
    parsed += 1;
  });
  server.on('clientError', (error, socket) => handleClientError(error, socket as Socket, ''));
  connections.watch(server);
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    received,
    sockets,
    parsed: () => parsed,
    async ended() {
      const metric = await metrics.getSingleMetric('throughline_http_connections_ended_total')?.get();
      return Object.fromEntries(metric?.values.map(({ labels, value }) => [labels.reason, value]) ?? []);
    },
  };
}

async function open(t: TestContext, url: string): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  t.after(() => connection.destroy());
  return connection;
}

async function connectPaused(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

function pipeline(paths: readonly string[]): Buffer {
  return Buffer.concat(paths.map((path) => rawRequest('GET', path)));
}

async function bodies(connection: RawConnection, count: number): Promise<(string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  while (texts.length < count) texts.push((await connection.answer())?.body);
  return texts;
}

/** Waits until the server has received `count` requests. */
async function take(received: readonly Received[], count: number): Promise<readonly Received[]> {
  return await waitFor(`${count} requests`, () => (received.length >= count ? received : undefined), {
    everyMs: 5,
  });
}

/** Waits until the send buffer of the kernel is full: its queue stays the same, also on a busy machine. */
async function stuck(socket: Socket | undefined): Promise<void> {
  let before = -1;
  let looksAlike = 0;
  await waitFor(
    'a full kernel buffer',
    () => {
      const { writeQueueSize } = (socket as unknown as { _handle: { writeQueueSize: number } })._handle;
      looksAlike = writeQueueSize === before && writeQueueSize > 0 ? looksAlike + 1 : 0;
      before = writeQueueSize;
      return looksAlike === 3 ? true : undefined;
    },
    { everyMs: 50 },
  );
}

/** Leaves the socket paused again. */
async function read(socket: Socket, bytes: number): Promise<void> {
  let left = bytes;
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) resolve();
  };
  socket.on('data', take).resume();
  await promise;
  socket.pause().off('data', take);
}
