/** Malformed HTTP on the socket of the real process: it gets a response, and the process keeps running. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { type RunningServer, startServer } from '../../helpers/process.ts';
import { type RawAnswer, RawConnection, rawRequest, sendRaw } from '../../helpers/raw-http.ts';
import { Refusals } from '../../helpers/refusal.ts';
import { queryStored } from '../../helpers/stored.ts';

const KEY = 'svc_live_0123456789abcdef';
const POST = 'POST /v1/sdk/install HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const CHUNKED = `${POST}x-api-key: ${KEY}\r\ntransfer-encoding: chunked\r\n\r\n`;

const NO_HTTP: Record<string, string> = {
  'no request line': 'hello\r\n\r\n',
  'an empty method': ' / HTTP/1.1\r\nhost: x\r\n\r\n',
  'an unknown method': 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n',
  'NUL in the method': 'G\0T / HTTP/1.1\r\nhost: x\r\n\r\n',
  'NUL in the path': 'GET /\0 HTTP/1.1\r\nhost: x\r\n\r\n',
  'a byte beyond ASCII in the path': 'GET /l/\xe9 HTTP/1.1\r\nhost: x\r\n\r\n',
  'a path without a slash': 'GET x HTTP/1.1\r\nhost: x\r\n\r\n',
  'an absolute target without a host': 'GET http:///healthz HTTP/1.1\r\nhost: x\r\n\r\n',
  'an absolute target with credentials': 'GET http://a:b@x/healthz HTTP/1.1\r\nhost: x\r\n\r\n',
  'an absolute target of another scheme': 'GET ftp://x/healthz HTTP/1.1\r\nhost: x\r\n\r\n',
  'an unknown version': 'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
  'another protocol': 'SSH-2.0-OpenSSH_9.6\r\n\r\n',
  'the start of TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
  'a header without a colon': 'GET /healthz HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n',
  'a space before the colon': 'GET /healthz HTTP/1.1\r\nhost : x\r\n\r\n',
  'a header without a name': 'GET /healthz HTTP/1.1\r\nhost: x\r\n: y\r\n\r\n',
  'NUL in a header': 'GET /healthz HTTP/1.1\r\nhost: x\r\nuser-agent: a\0b\r\n\r\n',
  'a bare CR in a header': 'GET /healthz HTTP/1.1\r\nhost: x\r\nuser-agent: a\rb: c\r\n\r\n',
  'a negative length': `${POST}content-length: -1\r\n\r\n`,
  'a length that is not a number': `${POST}content-length: 0x10\r\n\r\n`,
  'two lengths': `${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `,
  'a length beyond the integer range': `${POST}content-length: 99999999999999999999999\r\n\r\n`,
  'a length and chunks': `${POST}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'invalid chunks': `${CHUNKED}zz\r\nhello\r\n`,
  'a chunk of negative size': `${CHUNKED}-1\r\nhello\r\n`,
  'a chunk size beyond the integer range': `${CHUNKED}ffffffffffffffffff\r\nhello\r\n`,
  'a chunk longer than its size': `${CHUNKED}2\r\nhello\r\n0\r\n\r\n`,
  'an unknown expectation': `${POST}expect: miracles\r\ncontent-length: 2\r\n\r\n{}`,
};
const TOO_LARGE: Record<string, string> = {
  'a header of 100 KB': `GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(100_000)}\r\n\r\n`,
  '5,000 headers': `GET /healthz HTTP/1.1\r\nhost: x\r\n${'x-many: x\r\n'.repeat(5_000)}\r\n`,
  'a path of 100 KB': `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
};
const UNKNOWN_PATHS = [
  ...[
    '/l/a%2Fb',
    '/l/..',
    '/l/.',
    '/l/%2e%2e',
    '/l/%00',
    '/l/%zz',
    '/l/%',
    '/l/%C3%A9',
    '/l/%ED%A0%80',
    '/l/a%20b',
  ],
  ...[
    '/l/%0d%0aset-cookie:%20a=b',
    '/l/<script>',
    `/l/${'x'.repeat(5_000)}`,
    '/l/unknown?%zz&a[]=1',
    '/l/unknown;a=b',
  ],
];

for (const engine of engines)
  describe(`raw requests on the socket, on ${engine}`, () => {
    let place: Place;
    let server: RunningServer;
    before(async () => {
      place = await makePlace(engine);
      server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY });
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
    });
    const lives = async () => assert.equal((await fetch(`${server.url}/readyz`)).status, 200);

    it('invalid HTTP gets an error in the usual format', async () => {
      const refusals = new Refusals();
      for (const [what, bytes] of Object.entries(NO_HTTP)) {
        const connection = await RawConnection.open(server.url);
        connection.send(bytes);
        refusals.check(refusalOf(await connection.answer()), [400, 404, 417, 505], what);
        connection.destroy();
      }
      refusals.end();
      await lives();
    });

    it('a request without Host, or with several, gets 400, and its connection is closed', async () => {
      const refusals = new Refusals();
      for (const path of ['/healthz', '/nowhere', '/v1/links', '/v1/links/%zz', '/l/unknown'])
        for (const hosts of ['', 'host: x\r\nhost: x\r\n', 'Host: x\r\naccept: */*\r\nHOST: y\r\n']) {
          // The redirect handler only checks that there is a Host.
          if (path.startsWith('/l/') && hosts !== '') continue;
          const what = `${path} with ${JSON.stringify(hosts)}`;
          const connection = await RawConnection.open(server.url);
          connection.send(`GET ${path} HTTP/1.1\r\n${hosts}\r\n`);
          const answer = await connection.answer();
          refusals.check(refusalOf(answer), 400, what);
          refusals.hold(() => assert.equal(answer?.headers.connection, 'close', what));
          await connection.closed();
          connection.destroy();
        }
      refusals.end();
      const one = await sendRaw(server.url, 'GET /healthz HTTP/1.1\r\nx-host: y\r\nhost: x\r\n\r\n');
      assert.equal(one?.status, 200);
      const old = await sendRaw(server.url, 'GET /healthz HTTP/1.0\r\n\r\n');
      assert.equal(old?.status, 200);
    });

    it('the server closes the connection of a client that keeps sending invalid HTTP', {
      timeout: 30_000,
    }, async (t) => {
      const connection = await RawConnection.open(server.url);
      t.after(() => connection.destroy());
      connection.send('hello\r\n\r\n');
      await connection.closed();
      await connection.sendUntilRefused();
    });

    it('too large headers get 431', async () => {
      const refusals = new Refusals();
      for (const [what, bytes] of Object.entries(TOO_LARGE))
        refusals.check(refusalOf(await sendRaw(server.url, bytes)), 431, what);
      refusals.end();
      await lives();
    });

    it('a chunked body beyond the limit gets 413', async () => {
      const refusals = new Refusals();
      for (const [path, kib] of [
        ['/v1/sdk/install', 257],
        ['/v1/sdk/events', 4 * 1_024 + 1],
      ] as const) {
        const head = CHUNKED.replace('/v1/sdk/install', path);
        const chunks = `400\r\n${' '.repeat(1_024)}\r\n`.repeat(kib);
        refusals.check(refusalOf(await sendRaw(server.url, `${head}${chunks}0\r\n\r\n`)), 413, path);
      }
      refusals.end();
      await lives();
    });

    it('a request with a Content-Type but no body has an empty body', {
      timeout: 10_000,
    }, async () => {
      const refusals = new Refusals();
      const head = `host: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n\r\n`;
      for (const [method, path, status] of [
        ['POST', '/v1/links', 400],
        ['POST', '/v1/sdk/install', 400],
        ['POST', '/v1/sdk/events', 400],
        ['POST', '/v1/skan/postbacks', 400],
        ['DELETE', '/v1/links/unknown', 404],
        ['GET', '/l/unknown', 404],
      ] as const) {
        const bytes = `${method} ${path} HTTP/1.1\r\n${head}`;
        refusals.check(refusalOf(await sendRaw(server.url, bytes)), status, `${method} ${path}`);
      }
      refusals.end();
    });

    it('a client that disconnects at any point affects no other client', async () => {
      const request = rawRequest(
        'POST',
        '/v1/sdk/install',
        { 'x-api-key': KEY, 'content-type': 'application/json' },
        '{"fingerprint":{}}',
      );
      for (let length = 1; length < request.length; length += 7) {
        const connection = await RawConnection.open(server.url);
        connection.send(request.subarray(0, length));
        connection.destroy();
      }
      await lives();
      assert.equal((await queryStored(place, 'select id from installs')).length, 0);
    });

    it('unsupported methods get 404', async () => {
      const refusals = new Refusals();
      for (const method of ['PUT', 'OPTIONS', 'TRACE', 'PURGE', 'M-SEARCH', 'QUERY', 'PROPFIND'])
        for (const path of ['/', '/v1/links', '/l/unknown'])
          refusals.check(
            refusalOf(await sendRaw(server.url, rawRequest(method, path))),
            404,
            `${method} ${path}`,
          );
      refusals.end();
      await lives();
    });

    it('an impossible short code gets 404: an error for a program, a page for a browser', async () => {
      const refusals = new Refusals();
      for (const path of UNKNOWN_PATHS) {
        refusals.check(refusalOf(await sendRaw(server.url, rawRequest('GET', path))), 404, path.slice(0, 60));
        const page = await sendRaw(server.url, rawRequest('GET', path, { accept: 'text/html,*/*;q=0.8' }));
        refusals.hold(() => assertNotFoundPage(page, `a browser at ${path.slice(0, 60)}`));
      }
      refusals.end();
      assert.equal((await queryStored(place, 'select id from clicks')).length, 0);
    });
  });

function assertNotFoundPage(page: RawAnswer | null, what: string): void {
  assert.equal(page?.status, 404, what);
  assert.match(
    page?.headers['content-type'] ?? '',
    /^text\/html/,
    `${what}: ${page?.headers['content-type']}`,
  );
  assert.equal(page?.headers['x-service-error'], 'link.not_found', what);
  assert.ok(page?.headers['x-request-id'], what);
  assert.equal(page?.headers['set-cookie'], undefined, what);
  assert.doesNotMatch(page?.body ?? '', /<script>|\n\s+at /, what);
}

/** A connection that ends without a response counts as status 0. */
function refusalOf(answer: RawAnswer | null) {
  const { status, headers, body } = answer ?? { status: 0, headers: {}, body: 'no answer' };
  const isJson = (headers as Record<string, string>)['content-type']?.startsWith('application/json') ?? false;
  return { status, headers, text: body, body: isJson ? JSON.parse(body) : null };
}
