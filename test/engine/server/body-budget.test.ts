import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import { operationsOf } from '../../helpers/operations.ts';
import { RawConnection, rawRequest } from '../../helpers/raw-http.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

describe('request bodies in flight', () => {
  const world = useWorld('sqlite', { TRUST_PROXY: '1' });
  let app: TestApp;
  let url: string;

  before(async () => {
    app = await world.newApp();
    await world.service.api.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
  });

  const sdkHead = (path: string, from: string, headers: Record<string, string>) =>
    rawRequest('POST', path, {
      'x-api-key': app.keys.live_publishable,
      'x-forwarded-for': from,
      'content-type': 'application/json',
      ...headers,
    });

  /** Sends the head of a batch without its body. */
  async function beginBatch(
    from: string,
    headers: Record<string, string> = { 'content-length': String(4 * MIB) },
  ) {
    const connection = await RawConnection.open(url);
    connection.send(sdkHead('/v1/sdk/events', from, headers));
    return connection;
  }

  async function heldBytes(): Promise<number> {
    const metric = await world.service.metrics.getSingleMetric('throughline_request_body_bytes')?.get();
    return metric?.values[0]?.value ?? Number.NaN;
  }

  const untilHeld = (bytes: number) =>
    waitFor(`${bytes} bytes to be held`, async () => ((await heldBytes()) === bytes ? true : undefined), {
      everyMs: 5,
    });

  /** Begins one batch from each address. */
  async function holdBatches(addresses: readonly string[]): Promise<RawConnection[]> {
    const heldBefore = await heldBytes();
    const connections = await Promise.all(addresses.map((from) => beginBatch(from)));
    await untilHeld(heldBefore + addresses.length * 4 * MIB);
    return connections;
  }

  async function closeAll(connections: readonly RawConnection[]): Promise<void> {
    for (const connection of connections) connection.destroy();
    await untilHeld(0);
  }

  const smallInstall = (from: string) => world.install(app, {}, { from, key: app.keys.live_publishable });

  it('a fifth full batch from one address is rejected unread, with Retry-After; another address is not', async () => {
    const [from, other] = [freshAddress(), freshAddress()];
    const held = await holdBatches([from, from, from, from]);
    const fifth = await beginBatch(from);
    const answer = await fifth.answer();
    assert.deepEqual(
      [answer?.status, answer?.headers['x-service-error'], answer?.headers['retry-after']],
      [429, 'rate.limited', '2'],
    );
    const others = await holdBatches([other]);
    await closeAll([...held, fifth, ...others]);
  });

  it('small bodies pass while large ones use up the budget of their address', async () => {
    const from = freshAddress();
    const held = await holdBatches([from, from, from, from]);
    assert.equal((await smallInstall(from)).status, 200);
    await closeAll(held);
  });

  it('large bodies from many addresses get 503 beyond 64 MiB, and small ones pass', async () => {
    const held: RawConnection[] = [];
    const addresses = Array.from({ length: 100 }, freshAddress);
    for (const bytes of [4 * MIB, MIB, 256 * KIB, 64 * KIB, 17 * KIB]) {
      for (const from of addresses) {
        const heldBefore = await heldBytes();
        const connection = await beginBatch(from, { 'content-length': String(bytes) });
        held.push(connection);
        const refused = await Promise.race([connection.answer(), untilHeld(heldBefore + bytes)]);
        if (refused === true) continue;
        assert.deepEqual(
          [refused?.status, refused?.headers['x-service-error'], refused?.headers['retry-after']],
          [503, 'server.busy', '2'],
        );
        break;
      }
    }
    const total = await heldBytes();
    assert.ok(total > 56 * MIB && total <= 64 * MIB, `${total} bytes`);
    for (const from of [freshAddress(), addresses[0] ?? ''])
      assert.equal((await smallInstall(from)).status, 200);
    await closeAll(held);
  });

  it('small bodies that never arrive do not block other requests', async () => {
    const addresses = Array.from({ length: 60 }, freshAddress);
    const idle = await Promise.all(
      addresses.flatMap((from) =>
        Array.from({ length: 20 }, () => beginBatch(from, { 'content-length': String(16 * KIB) })),
      ),
    );
    for (const from of [freshAddress(), addresses[0] ?? ''])
      assert.equal((await smallInstall(from)).status, 200);
    assert.equal(await heldBytes(), 0);
    await closeAll(idle);
  });

  it('a chunked body counts as it arrives', async () => {
    const from = freshAddress();
    const chunked = await beginBatch(from, { 'transfer-encoding': 'chunked' });
    const send = (bytes: number) => chunked.send(`${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`);
    send(100 * KIB);
    await untilHeld(100 * KIB);
    const held = await holdBatches([from, from, from]);
    send(4 * MIB - 200 * KIB);
    await untilHeld(16 * MIB - 100 * KIB);
    const refused = await beginBatch(from, { 'transfer-encoding': 'chunked' });
    refused.send(`32000\r\n${' '.repeat(200 * KIB)}\r\n`);
    assert.equal((await refused.answer())?.status, 429);
    chunked.send('d\r\n{"events":[]}\r\n0\r\n\r\n');
    assert.equal((await chunked.answer())?.status, 200);
    await closeAll([...held, chunked, refused]);
  });

  it('a chunked body counts towards the bytes of its address per minute', async () => {
    const from = freshAddress();
    const key = app.keys.live_publishable;
    for (let sent = 0; sent < 8; sent++)
      await world.call('POST', '/v1/sdk/events', { key, from, rawBody: '{"events":[]}'.padEnd(4 * MIB) });
    for (const [bytes, status] of [
      [17 * KIB, 429],
      [16 * KIB, 200],
    ] as const) {
      const connection = await beginBatch(from, { 'transfer-encoding': 'chunked' });
      // Rejected before it is parsed.
      const body = (status === 429 ? '{"events":' : '{"events":[]}').padEnd(bytes);
      connection.send(`${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      assert.equal((await connection.answer())?.status, status);
      await closeAll([connection]);
    }
  });

  it('the bytes are released after a response, a rejection and an invalid body', async () => {
    const from = freshAddress();
    for (const [body, status] of [
      ['{"events":[]}', 200],
      ['{"events":', 400],
      ['[]', 400],
    ] as const) {
      const connection = await beginBatch(from, { 'content-length': String(body.length) });
      connection.send(body);
      assert.equal((await connection.answer())?.status, status);
      await closeAll([connection]);
    }
    const tooLong = await beginBatch(from, { 'content-length': String(4 * MIB + 1) });
    assert.equal((await tooLong.answer())?.status, 413);
    await closeAll([tooLong]);
  });

  it('a request without a valid key or admin token gets 401 before its body arrives', async () => {
    const guarded = operationsOf(world).filter(({ body, caller }) => body !== null && caller !== 'anybody');
    assert.ok(guarded.length > 15, `${guarded.length} operations`);
    for (const { method, path, caller } of guarded)
      for (const credential of ['', 'svc_live_unknownunknownunknown']) {
        const header = caller === 'key' ? 'x-api-key' : 'authorization';
        const connection = await RawConnection.open(url);
        connection.send(
          rawRequest(method, path.replaceAll(/[{}]/g, ''), {
            'content-type': 'application/json',
            'content-length': '1000',
            ...(credential !== '' && { [header]: credential }),
          }),
        );
        assert.equal((await connection.answer())?.status, 401, `${method} ${path}`);
        connection.destroy();
      }
    assert.equal(await heldBytes(), 0);
  });

  it('a request to an unknown route gets 404 before its body arrives', async () => {
    const connection = await RawConnection.open(url);
    connection.send(rawRequest('POST', '/nothing', { 'content-length': '1000' }));
    assert.equal((await connection.answer())?.status, 404);
    connection.destroy();
  });

  it('a body of very many fields or values gets 400, and colons and commas in strings do not count', async () => {
    const key = app.keys.live_publishable;
    const send = async (path: string, rawBody: string) =>
      (await world.call('POST', path, { key, from: freshAddress(), rawBody })).status;
    const fields = (count: number) =>
      Array.from({ length: count }, (_, n) => `"${n.toString(36)}":1`).join(',');
    const batch = (more: string) => `{"events":[],${more}}`;
    assert.equal(await send('/v1/sdk/events', batch(fields(49_999))), 200);
    assert.equal(await send('/v1/sdk/events', batch(fields(50_000))), 400);
    assert.equal(await send('/v1/sdk/events', batch(`"a":[${'1,'.repeat(260_000)}1]`)), 400);
    assert.equal(await send('/v1/sdk/events', batch(`"a":"${'\\\\:,\\":'.repeat(60_000)}"`)), 200);
    const install = `{"fingerprint":{"platform":"IOS"},`;
    assert.equal(await send('/v1/sdk/install', `${install}${fields(9_998)}}`), 200);
    assert.equal(await send('/v1/sdk/install', `${install}${fields(9_999)}}`), 400);
  });

  it('POST /v1/debug/attribution accepts 48 KiB, one byte more gets 413', async () => {
    const body = JSON.stringify({ apiKey: app.keys.live, fingerprint: IPHONE_FINGERPRINT });
    const ask = (bytes: number) =>
      world.call('POST', '/v1/debug/attribution', { rawBody: body.padEnd(bytes), from: freshAddress() });
    assert.equal((await ask(48 * KIB)).status, 200);
    const { status, headers } = await ask(48 * KIB + 1);
    assert.deepEqual([status, headers['x-service-error']], [413, 'request.too_large']);
  });
});
