/** Calls of a server of these tests, which answers as a service, a proxy or a broken network would. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { createThroughlineClient, ThroughlineError, type ThroughlineOptions } from './index.ts';

type Answer = (response: ServerResponse) => unknown;
interface Received {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly atMs: number;
}

const LINK = { id: '1', shortCode: 'shoes' };
const EVENT = { installId: '01a1fa01-9f65-727b-9240-57b838adab86', eventName: 'bought' };
const PERSON = { userId: 'u-1' };

describe('the client', () => {
  it('sends key, parameters and body in their places', async () => {
    const { client, received } = await start([json(200, []), json(200, LINK), json(200, LINK)]);
    await client.links.list({ campaignId: 'a b', limit: 2 });
    await client.links.get('a/b', { include: 'totals' });
    assert.deepEqual(await client.links.update('shoes', { campaignId: null }), LINK);
    assert.deepEqual(
      received.map(({ line, body, headers }) => [line, body, headers['x-api-key']]),
      [
        ['GET /v1/links?campaignId=a%20b&limit=2', '', 'svc_live_1'],
        ['GET /v1/links/a%2Fb?include=totals', '', 'svc_live_1'],
        ['PATCH /v1/links/shoes', '{"campaignId":null}', 'svc_live_1'],
      ],
    );
  });

  it('gives the CSV of an import as text', async () => {
    const csv: Answer = (response) =>
      response.setHeader('Content-Type', 'text/csv; charset=utf-8').end('line,reason\n2,bad\n');
    const { client } = await start([csv, csv]);
    assert.equal(await client.imports.rows('1'), 'line,reason\n2,bad\n');
    assert.equal(await client.imports.failures('1'), 'line,reason\n2,bad\n');
  });

  it('sends the key of a dry run of attribution in its body, and asks for the reasons', async () => {
    const { client, received } = await start([busy(503), json(200, { attributed: false })]);
    await client.debug.attribution({ fingerprint: { platform: 'IOS' } });
    const [, { line, body } = assert.fail()] = received;
    assert.equal(line, 'POST /v1/debug/attribution?explain=true');
    assert.deepEqual(JSON.parse(body), { fingerprint: { platform: 'IOS' }, apiKey: 'svc_live_1' });
  });

  it('refuses options in the place of a query, unknown options, and a filter of null, before it sends anything', async () => {
    const { client, received } = await start([]);
    const { signal } = new AbortController();
    for (const [call, text] of [
      [() => client.links.get('red', { signal } as never), /Options come last/],
      [() => client.installs.list({ userId: null } as never), /userId in the query is null/],
      [() => client.stats.get(null as never), /query must be an object/],
      [() => client.webhooks.list({ limit: 5 } as never), /no option limit/],
      [() => client.links.create({ deepLinkPath: '/' }, { key: 'x' } as never), /no option key/],
      [() => client.sdk.recordEvent(EVENT, 5 as never), /options must be an object/],
    ] as const)
      await assert.rejects(
        async () => await call(),
        (error) => error instanceof TypeError && text.test(error.message),
      );
    assert.equal(received.length, 0);
  });

  it('needs a key that a header can carry', () => {
    for (const key of ['', 'svc\nlive', 'svc live', 'schlüssel', undefined, null, 5] as never[])
      assert.throws(
        () => createThroughlineClient({ baseUrl: 'https://go.example.com', key }),
        /TypeError: key must be/,
      );
  });

  it('takes an interface where the API takes any object', async () => {
    interface Shoes {
      size: number;
    }
    const shoes: Shoes = { size: 43 };
    const { client, received } = await start([json(201, LINK), json(201, {})]);
    await client.links.create({ deepLinkPath: '/', deepLinkParams: shoes, metadata: shoes });
    await client.sdk.recordEvent({ ...EVENT, properties: shoes });
    assert.match(received[0]?.body ?? '', /"deepLinkParams":\{"size":43\}/);
  });

  it('accepts a base address with a path and a final slash', async () => {
    const { url, received } = await start([json(200, [])]);
    await createThroughlineClient({ baseUrl: `${url}/links/`, key: 'k' }).clicks.list();
    assert.equal(received[0]?.line, 'GET /links/v1/clicks');
  });

  it('returns undefined for an answer without a body, and a Blob for a picture', async () => {
    const svg = (response: ServerResponse) =>
      response.setHeader('Content-Type', 'image/svg+xml').end('<svg/>');
    const { client } = await start([(response) => response.writeHead(204).end(), svg]);
    assert.equal(await client.links.delete('shoes'), undefined);
    assert.equal(await (await client.links.qr('shoes', { format: 'svg' })).text(), '<svg/>');
  });
});

describe('errors', () => {
  it('have the status, code, request ID and text of the service', async () => {
    const { client } = await start([refuse(404, 'link.not_found', { 'X-Request-Id': 'r-1' })]);
    const error = await errorOf(client.links.get('none'));
    const { name, message, status, code, requestId } = error;
    assert.ok(error instanceof Error);
    assert.deepEqual(
      { name, message, status, code, requestId },
      {
        name: 'ThroughlineError',
        message: 'link.not_found happened.',
        status: 404,
        code: 'link.not_found',
        requestId: 'r-1',
      },
    );
  });

  for (const status of [200, 404, 500])
    it(`an answer with ${status} of something else than the service is unexpected`, async () => {
      const page = (response: ServerResponse) =>
        response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>');
      const { client } = await start([page]);
      const { code, message, ...error } = await errorOf(client.links.list());
      assert.deepEqual([code, error.status], ['response.unexpected', status]);
      assert.match(message, new RegExp(`^GET http://.*/v1/links got .* ${status} .*Check baseUrl`));
    });

  it('a redirect is not followed, so the key stays with the service', async () => {
    const other = await start([json(200, [])]);
    const { client } = await start([
      (response) => response.writeHead(307, { Location: `${other.url}/v1/links` }).end(),
    ]);
    assert.equal((await errorOf(client.links.list())).code, 'response.unexpected');
    assert.equal(other.received.length, 0);
  });

  it('a network that fails has a code and a cause', async () => {
    const { url, server } = await start([]);
    server.close();
    const client = createThroughlineClient({ baseUrl: url, key: 'k', retries: 0 });
    const error = await errorOf(client.links.list());
    assert.deepEqual([error.code, error.status], ['network.failed', null]);
    assert.match(error.message, /ECONNREFUSED|Connection refused/);
    assert.ok(error.cause instanceof Error);
  });

  it('an answer that does not come, or stops midway, is a timeout', async () => {
    const stalled: Answer = (response) =>
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 }).write('[');
    const { client } = await start([() => undefined, stalled], { retries: 0, timeoutMs: 100 });
    for (const _ of ['silent', 'stalled'])
      assert.equal((await errorOf(client.links.list())).code, 'network.timeout');
  });

  it('a base address that is none is refused at once', () => {
    assert.throws(() => createThroughlineClient({ baseUrl: 'links.example.com', key: 'k' }), TypeError);
  });
});

describe('a missing parameter', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a program without types passes.
  const WRONG_IDS: any[] = [undefined, null, '', '.', '..', 7, {}, []];

  it('of a path is a TypeError in words, of every method with one, and nothing is sent', async () => {
    const { client, received } = await start([]);
    const { links, installs, webhooks, privacy, sdk } = client;
    // biome-ignore lint/suspicious/noExplicitAny: methods of different parameters.
    const methods: [name: string, call: any][] = [
      ['shortCode', links.get],
      ['shortCode', links.update],
      ['shortCode', links.delete],
      ['shortCode', links.qr],
      ['shortCode', links.diagnose],
      ['shortCode', links.stats],
      ['installId', installs.get],
      ['installId', installs.delete],
      ['webhookId', webhooks.get],
      ['webhookId', webhooks.update],
      ['webhookId', webhooks.delete],
      ['webhookId', webhooks.test],
      ['attemptId', webhooks.deliveries.redeliver],
      ['requestId', privacy.getErasure],
      ['installId', sdk.explainInstall],
    ];
    for (const [name, call] of methods)
      for (const id of WRONG_IDS)
        await assert.rejects(call(id, {}), {
          name: 'TypeError',
          message: new RegExp(`^${name} must be .*, but is .*\\. Check`),
        });
    assert.equal(received.length, 0);
  });

  it('of a body is a TypeError in words, and nothing is sent', async () => {
    const { client, received } = await start([]);
    const { links, installs, webhooks, privacy, postbacks, conversionValues, sdk } = client;
    const { explainInstall: _, getConversionSchema: __, ...recordings } = sdk;
    const calls = [
      ...[links.create, webhooks.create, installs.deleteForged, postbacks.copy, conversionValues.set],
      ...[privacy.erase, privacy.export, ...Object.values(recordings)],
      (body: never) => links.update('shoes', body),
      (body: never) => webhooks.update('1', body),
    ];
    for (const call of calls)
      for (const body of [undefined, null, 'text', 7, []])
        await assert.rejects(call(body as never), {
          name: 'TypeError',
          message: /^The body must be an object/,
        });
    await assert.rejects(sdk.recordEvents({} as never), {
      name: 'TypeError',
      message: /^events must be a list/,
    });
    assert.equal(received.length, 0);
  });
});

describe('retries', { concurrency: true }, () => {
  it('a GET is sent again after 429, 502, 503 and 504, three times', async () => {
    for (const statuses of [
      [429, 502, 503],
      [504, 503, 503],
    ]) {
      const { client, received } = await start([...statuses.map(busy), json(200, [])]);
      assert.deepEqual(await client.links.list(), []);
      assert.equal(received.length, 4);
    }
    const { client, received } = await start(Array(5).fill(busy(503)));
    assert.equal((await errorOf(client.links.list())).status, 503);
    assert.equal(received.length, 4);
  });

  it('retries is the number of further attempts', async () => {
    const { client, received } = await start([busy(503), busy(503)], { retries: 1 });
    assert.equal((await errorOf(client.links.list())).status, 503);
    assert.equal(received.length, 2);
  });

  it('a GET is sent again after a cut connection, a cut answer and a timeout', async () => {
    const cutAnswer: Answer = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
      response.write('[', () => response.destroy());
    };
    const { client, received } = await start([cut, cutAnswer, () => undefined, json(200, [])], {
      timeoutMs: 500,
    });
    assert.deepEqual(await client.links.list(), []);
    assert.equal(received.length, 4);
    const [first = 0, second = 0, third = 0] = received.map(({ atMs }) => atMs);
    assert.ok(second - first >= 245, `${second - first} ms`);
    assert.ok(third - second >= 490, `${third - second} ms: the delay doubles`);
  });

  it('other errors are not sent again', async () => {
    for (const [status, code] of [
      [400, 'request.invalid'],
      [500, 'internal'],
    ] as const) {
      const { client, received } = await start([refuse(status, code)]);
      assert.equal((await errorOf(client.links.list())).code, code);
      assert.equal(received.length, 1);
    }
  });

  it('wait as long as Retry-After says, in seconds or until a date', async () => {
    const inTwoSeconds = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000);
    const { client, received } = await start([
      refuse(503, 'server.busy', { 'Retry-After': '1' }),
      refuse(429, 'rate.limited', { 'Retry-After': inTwoSeconds.toUTCString() }),
      json(200, []),
    ]);
    await client.links.list();
    const [first = 0, second = 0, third = 0] = received.map(({ atMs }) => atMs);
    assert.ok(second - first >= 995, `${second - first} ms`);
    assert.ok(third >= inTwoSeconds.getTime() - 5, `${inTwoSeconds.getTime() - third} ms too early`);
  });

  it('a wait of more than a minute, or maxWaitMs, is left to the caller', async () => {
    for (const [seconds, options] of [
      [3_600, {}],
      [6, { maxWaitMs: 5_000 }],
    ] as const) {
      const refusal = refuse(429, 'event.daily_limit', { 'Retry-After': String(seconds) });
      const { client, received } = await start([refusal], options);
      const error = await errorOf(client.sdk.recordEvent(EVENT, { signal: AbortSignal.timeout(2_000) }));
      assert.deepEqual([error.code, error.retryAfterMs], ['event.daily_limit', seconds * 1_000]);
      assert.equal(received.length, 1);
    }
  });

  it('a new link has one Idempotency-Key, and another link another one', async () => {
    const created = json(201, LINK);
    const { client, received } = await start([cut, busy(503), created, created, busy(503), created]);
    await client.links.create({ deepLinkPath: '/' });
    await client.links.create({ deepLinkPath: '/' });
    await client.webhooks.create({ url: 'https://example.com' }, { idempotencyKey: 'mine' });
    const [a, b, c, d, ...mine] = received.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(a), /^[0-9a-f-]{36}$/);
    assert.deepEqual([b, c], [a, a]);
    assert.match(String(d), /^[0-9a-f-]{36}$/);
    assert.notEqual(d, a);
    assert.deepEqual(mine, ['mine', 'mine']);
  });

  it('records keep their IDs, or the random ones that they get', async () => {
    const { client, received } = await start([busy(502), json(200, { results: [] })]);
    const sentAt = '2026-11-25T12:00:00Z';
    await client.sdk.recordEvents({ events: [EVENT, { ...EVENT, eventId: 'mine' }], sentAt });
    assert.equal(JSON.parse(received[0]?.body ?? '').sentAt, sentAt);
    const [first, second] = received.map(({ body }) => JSON.parse(body).events);
    assert.match(first[0].eventId, /^[0-9a-f-]{36}$/);
    assert.equal(first[1].eventId, 'mine');
    assert.deepEqual(second, first);
  });

  it('a POST without a key or IDs is sent again only if it had no effect', async () => {
    const done = json(202, { requestId: '1' });
    const limited = await start([busy(429), done]);
    await limited.client.privacy.erase(PERSON);
    assert.equal(limited.received.length, 2);
    for (const failure of [cut, busy(503)]) {
      const { client, received } = await start([failure, done]);
      await errorOf(client.privacy.erase(PERSON));
      assert.equal(received.length, 1);
    }
  });

  it('a POST whose connection was refused is sent again', async () => {
    const { client, received, url, server } = await start([json(202, { requestId: '1' })]);
    server.close();
    const call = client.privacy.erase(PERSON);
    setTimeout(() => server.listen(Number(new URL(url).port), '127.0.0.1'), 100);
    await call;
    assert.equal(received.length, 1);
  });

  it('a DELETE that was done before its answer was lost succeeds', async () => {
    const missing = refuse(404, 'link.not_found');
    const { client } = await start([cut, missing, missing]);
    assert.equal(await client.links.delete('shoes'), undefined);
    assert.equal((await errorOf(client.links.delete('shoes'))).code, 'link.not_found');
  });
});

describe('the signal of the caller', () => {
  it('ends a request at once, with its reason', async () => {
    const { client } = await start([() => undefined], { timeoutMs: 3_000 });
    const reason = new Error('enough');
    const abort = new AbortController();
    const startMs = Date.now();
    setTimeout(() => abort.abort(reason), 50);
    await assert.rejects(client.links.list({}, { signal: abort.signal }), reason);
    assert.ok(Date.now() - startMs < 1_000);
  });

  it('ends the wait for a retry at once, after which nothing is sent', async () => {
    const { client, received } = await start([refuse(503, 'server.busy', { 'Retry-After': '3' })]);
    const abort = new AbortController();
    const startMs = Date.now();
    setTimeout(() => abort.abort(), 50);
    await assert.rejects(client.links.delete('shoes', { signal: abort.signal }), { name: 'AbortError' });
    assert.ok(Date.now() - startMs < 1_000);
    assert.equal(received.length, 1);
  });
});

describe('iteration', () => {
  it('asks for a page when the loop reaches it', async () => {
    const { client, received } = await start([json(200, [{ id: '2' }, { id: '1' }]), json(200, [])]);
    const ids: string[] = [];
    for await (const { id } of client.opens.iterate({ method: ['DIRECT'], limit: 2 })) {
      ids.push(id);
      assert.equal(received.length, 1);
    }
    assert.deepEqual(ids, ['2', '1']);
    assert.deepEqual(
      received.map(({ line }) => line),
      ['GET /v1/opens?method=DIRECT&limit=2', 'GET /v1/opens?method=DIRECT&limit=2&before=1'],
    );
  });

  it('from the oldest on goes to the newer ones', async () => {
    const { client, received } = await start([json(200, [{ id: '1' }, { id: '2' }]), json(200, [])]);
    const ids: string[] = [];
    for await (const { id } of client.opens.iterate({ order: 'asc', limit: 2 })) ids.push(id);
    assert.deepEqual(ids, ['1', '2']);
    assert.deepEqual(
      received.map(({ line }) => line),
      ['GET /v1/opens?order=asc&limit=2', 'GET /v1/opens?order=asc&limit=2&after=2'],
    );
  });

  it('gives a link once, although one that is made meanwhile moves it to the next page', async () => {
    const link = (id: string) => ({ ...LINK, id });
    const { client } = await start([
      json(200, [link('3'), link('2')]),
      json(200, [link('2'), link('1')]),
      json(200, []),
    ]);
    const ids: string[] = [];
    for await (const { id } of client.links.iterate({ limit: 2 })) ids.push(id);
    assert.deepEqual(ids, ['3', '2', '1']);
  });

  it('has pages of 100, and ends with a shorter one', async () => {
    const { client, received } = await start([json(200, [LINK])]);
    for await (const link of client.links.iterate()) assert.deepEqual(link, LINK);
    assert.deepEqual(
      received.map(({ line }) => line),
      ['GET /v1/links?limit=100'],
    );
  });
});

/** A server with one answer for each request in turn, and a client of it. */
async function start(answers: readonly Answer[], options: Partial<ThroughlineOptions> = {}) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const atMs = Date.now();
    const { method, url, headers } = request;
    const answer = answers[received.length];
    received.push({ line: `${method} ${url}`, headers, body: await text(request), atMs });
    if (answer === undefined) response.writeHead(418).end();
    else answer(response);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const client = createThroughlineClient({ baseUrl: url, key: 'svc_live_1', ...options });
  return { client, received, url, server };
}

function json(status: number, body: unknown): Answer {
  return (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'X-Service-Error': code, ...headers })
      .end(JSON.stringify({ error: `${code} happened.` }));
}

function busy(status: number): Answer {
  return refuse(status, 'server.busy', { 'Retry-After': '0' });
}

function cut(response: ServerResponse): void {
  response.destroy();
}

async function errorOf(call: Promise<unknown>): Promise<ThroughlineError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ThroughlineError, String(error));
    return error;
  }
  assert.fail('the call succeeded');
}
