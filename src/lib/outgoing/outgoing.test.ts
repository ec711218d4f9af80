import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { create, post, receive, until } from '../../../test/helpers/outgoing-receiver.ts';

describe('outgoing requests', () => {
  it('headers and body arrive unchanged, and the response is returned', async () => {
    const receiver = await receive((request, response) => {
      const { method, url, headers } = request;
      response.writeHead(201).end(JSON.stringify({ method, url, headers, body: receiver.bodies[0] }));
    });
    const { status, body } = await post(`${receiver.url}/hook?a=%20b#c`, {
      headers: { 'Content-Type': 'application/json', 'x-id': '7' },
      body: Buffer.from('{"a":"ü"}'),
    });
    assert.equal(status, 201);
    assert.deepEqual(JSON.parse(body), {
      method: 'POST',
      url: '/hook?a=%20b',
      headers: {
        host: receiver.url.slice('http://'.length),
        connection: 'keep-alive',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'x-id': '7',
        'content-length': '10',
      },
      body: '{"a":"ü"}',
    });
  });

  it('accept-encoding may be set', async () => {
    const receiver = await receive((request, response) => response.end(request.headers['accept-encoding']));
    assert.equal((await post(receiver.url, { headers: { 'Accept-Encoding': 'br' } })).body, 'br');
  });

  it('localhost is allowed if loopback is', async () => {
    const receiver = await receive((_request, response) => response.end('here'));
    const url = receiver.url.replace('127.0.0.1', 'app.localhost.');
    assert.equal((await post(url)).body, 'here');
  });

  it('connections are kept, shared and bounded per origin', async () => {
    const receiver = await receive((_request, response) => response.end());
    await Promise.all(Array.from({ length: 20 }, () => post(receiver.url)));
    for (let i = 0; i < 5; i += 1) await post(receiver.url);
    assert.equal(receiver.connections, 2);
    assert.equal(receiver.bodies.length, 25);
  });

  it('an idle connection is kept for some seconds, less than the server keeps it', async () => {
    const plain = await receive((_request, response) => response.end());
    const receiver = await receive((_request, response) =>
      response.setHeader('keep-alive', 'timeout=3').end(),
    );
    await Promise.all([post(plain.url), post(receiver.url)]);
    await sleep(300);
    assert.deepEqual([plain.open, receiver.open], [1, 1]);
    await until(() => receiver.open === 0);
  });

  it('a redirect is not followed', async () => {
    const aim = await receive((_request, response) => response.end());
    for (const status of [301, 302, 303, 307, 308]) {
      const receiver = await receive((_request, response) =>
        response.writeHead(status, { location: aim.url }).end('moved'),
      );
      assert.deepEqual(await post(receiver.url), { status, body: 'moved', location: aim.url });
    }
    assert.equal(aim.connections, 0);
  });

  it('GET and HEAD are sent without a body', async () => {
    const receiver = await receive(({ method, headers }, response) =>
      response.writeHead(302, { location: '/next' }).end(`${method} ${headers['content-length']}`),
    );
    const request = { headers: { 'user-agent': 'test' }, timeoutMs: 5_000, maxResponseBytes: 100 };
    const next = { status: 302, location: '/next' };
    assert.deepEqual(await create().read('GET', receiver.url, request), { ...next, body: 'GET undefined' });
    assert.deepEqual(await create().read('HEAD', receiver.url, request), { ...next, body: '' });
    assert.deepEqual(receiver.bodies, ['', '']);
  });

  it('a missing response body is empty', async () => {
    const receiver = await receive((_request, response) => response.writeHead(204).end());
    assert.deepEqual(await post(receiver.url), { status: 204, body: '' });
  });

  it('1xx responses are skipped', async () => {
    const receiver = await receive((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('done');
    });
    assert.deepEqual(await post(receiver.url), { status: 200, body: 'done' });
  });

  it('an error status is returned', async () => {
    const receiver = await receive((_request, response) => response.writeHead(503).end('later'));
    assert.deepEqual(await post(receiver.url), { status: 503, body: 'later' });
  });
});

describe('the response body', () => {
  it('is truncated at the limit, and the connection closed', async () => {
    const block = Buffer.alloc(65_536, 'x');
    const receiver = await receive((_request, response) => {
      response.setHeader('content-length', 1_000_000_000);
      const more = (): void => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
    });
    const { status, body } = await post(receiver.url, { maxResponseBytes: 100_000 });
    assert.equal(status, 200);
    assert.equal(body, 'x'.repeat(100_000));
    await until(() => receiver.open === 0);
    assert.ok(receiver.bytesWritten() < 50_000_000, `${receiver.bytesWritten()} bytes were sent`);
  });

  it('is truncated even if it never ends', async () => {
    const receiver = await receive((_request, response) => response.write('abcdef'));
    assert.deepEqual(await post(receiver.url, { maxResponseBytes: 4 }), { status: 200, body: 'abcd' });
    assert.deepEqual(await post(receiver.url, { maxResponseBytes: 6 }), { status: 200, body: 'abcdef' });
    assert.deepEqual(await post(receiver.url, { maxResponseBytes: 0 }), { status: 200, body: '' });
  });

  it('is text without NUL characters', async () => {
    const bytes = Buffer.from([0x61, 0, 0xff, 0xc3, 0x28, 0, 0xf0, 0x9f, 0x98, 0x80]);
    const receiver = await receive((_request, response) => response.end(bytes));
    assert.equal((await post(receiver.url)).body, 'a\ufffd\ufffd(😀');
    // The cut goes through the last character.
    assert.equal((await post(receiver.url, { maxResponseBytes: 8 })).body, 'a\ufffd\ufffd(');
  });

  it('is read if the server compressed it unasked, also where it is cut', async () => {
    const text = JSON.stringify({ success: true, text: 'ü'.repeat(100) });
    for (const [encoding, body] of [
      ['gzip', gzipSync(text)],
      ['X-GZip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['gzip', Buffer.from(text)],
      ['unknown', Buffer.from(text)],
    ] as const) {
      const receiver = await receive((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(body),
      );
      assert.equal((await post(receiver.url)).body, text, encoding);
    }
    for (const bytes of [20_000, 100_000]) {
      const body = gzipSync(`{"code":200} ${randomBytes(bytes).toString('hex')}`);
      const receiver = await receive((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
      );
      const start = (await post(receiver.url, { maxResponseBytes: 16_384 })).body;
      assert.deepEqual([start.slice(0, 13), start.length], ['{"code":200} ', 16_384]);
    }
  });

  it('is inflated to the limit at most, and as text takes no more bytes than it', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2));
    const receiver = await receive((_request, response) =>
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb),
    );
    for (const maxResponseBytes of [100, 16_384]) {
      const { status, body } = await post(receiver.url, { maxResponseBytes });
      assert.equal(status, 500);
      const bytes = Buffer.byteLength(body);
      assert.ok(bytes <= maxResponseBytes && bytes > 20, `${bytes} bytes`);
    }
  });

  it('of a response that is cut off is kept with its status', async () => {
    const receiver = await receive((_request, response) => {
      response.writeHead(500, { 'content-length': 1_000 });
      response.write('out of disk');
    });
    const partial = { status: 500, body: 'out of disk' };
    await assert.rejects(post(receiver.url, { timeoutMs: 300 }), { reason: 'timeout', partial });
    const closed = await receive((_request, response) => {
      response.writeHead(500, { 'content-length': 1_000 });
      response.write('out of disk', () => response.socket?.end());
    });
    await assert.rejects(post(closed.url), { reason: 'connection', partial });
    const silent = await receive(() => undefined);
    await assert.rejects(post(silent.url, { timeoutMs: 300 }), { reason: 'timeout', partial: null });
  });
});

describe('headers', () => {
  it('an invalid header throws, and nothing is sent', async () => {
    const receiver = await receive((_request, response) => response.end());
    const cases: readonly [name: string, value: string][] = [
      ['x-a', 'b\r\nx-evil: 1'],
      ['x-a', 'b\nc'],
      ['x-a', 'b\rc'],
      ['x-a', 'b\0'],
      ['x-a', '“'],
      ['x-a\r\nx-evil', '1'],
      ['x a', '1'],
      ['', '1'],
      ['host', 'intranet'],
      ['Host', 'intranet'],
    ];
    for (const [name, value] of cases)
      await assert.rejects(post(receiver.url, { headers: { [name]: value } }), { name: 'TypeError' }, name);
    for (const name of [
      'connection',
      'content-length',
      'expect',
      'keep-alive',
      'transfer-encoding',
      'upgrade',
    ])
      await assert.rejects(post(receiver.url, { headers: { [name]: '1' } }), { name: 'TypeError' }, name);
    assert.deepEqual(receiver.bodies, []);
  });
});

describe('cancellation', () => {
  it('a signal rejects the request with its reason, even if aborted before', async () => {
    const receiver = await receive(() => undefined);
    const controller = new AbortController();
    const attempt = post(receiver.url, { signal: controller.signal });
    await until(() => receiver.bodies.length === 1);
    controller.abort(new Error('the server stops'));
    await assert.rejects(attempt, { message: 'the server stops' });
    await until(() => receiver.open === 0);
    await assert.rejects(post(receiver.url, { signal: controller.signal }), { message: 'the server stops' });
    assert.equal(receiver.bodies.length, 1);
  });

  it('close ends active, idle and pending connections', async () => {
    const busy = await receive(() => undefined);
    const idle = await receive((_request, response) => response.end());
    const closing = create({ resolve: () => new Promise(() => undefined) });
    await post(idle.url, {}, closing);
    const urls = [busy.url, busy.url, busy.url, 'http://slow.example.com'];
    const attempts = urls.map((url) => post(url, {}, closing));
    await until(() => busy.bodies.length === 2);
    const outcomes = Promise.allSettled(attempts);
    await closing.close();
    for (const outcome of await outcomes)
      assert.equal(outcome.status === 'rejected' && outcome.reason.name, 'AbortError');
    await until(() => busy.open === 0 && idle.open === 0);
    await assert.rejects(post(idle.url, {}, closing), { name: 'AbortError' });
    await sleep(50);
    assert.equal(busy.connections, 2);
    await closing.close();
  });
});
