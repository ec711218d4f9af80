import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

describe('limits of /v1/sdk/* per address and install', () => {
  const world = useWorld('sqlite');

  const sendBatch = (key: string, from: string, bytes: number) =>
    world.call('POST', '/v1/sdk/events', { key, from, rawBody: '{"events":[]}'.padEnd(bytes) });

  async function spendBytes(app: TestApp, from: string): Promise<void> {
    for (let sent = 0; sent < 8; sent++)
      assert.equal((await sendBatch(app.keys.live_publishable, from, 4 * MIB)).status, 200);
  }

  it('an address may send 32 MiB of large bodies a minute with a publishable key', async () => {
    const app = await world.newApp();
    const from = freshAddress();
    await spendBytes(app, from);
    const { status, headers, body } = await sendBatch(app.keys.live_publishable, from, 17 * KIB);
    assert.deepEqual(
      [status, headers['x-service-error'], headers['ratelimit-policy']],
      [429, 'rate.limited', '"sdk-bytes";q=33554432;w=60'],
    );
    assert.match(body.error, /32 MiB a minute from one address/);
    assert.ok(Number(headers['retry-after']) >= 1);
    assert.equal((await sendBatch(app.keys.live_publishable, freshAddress(), 4 * MIB)).status, 200);
  });

  it('small bodies and secret keys pass when an address has used up its bytes', async () => {
    const app = await world.newApp();
    const from = freshAddress();
    await spendBytes(app, from);
    assert.equal((await sendBatch(app.keys.live_publishable, from, 16 * KIB)).status, 200);
    assert.equal((await sendBatch(app.keys.live, from, 4 * MIB)).status, 200);
  });

  it('a rejected body does not count', async () => {
    const app = await world.newApp();
    const from = freshAddress();
    for (let sent = 0; sent < 7; sent++) await sendBatch(app.keys.live_publishable, from, 4 * MIB);
    await sendBatch(app.keys.live_publishable, from, 3 * MIB);
    assert.equal((await sendBatch(app.keys.live_publishable, from, 2 * MIB)).status, 429);
    assert.equal((await sendBatch(app.keys.live_publishable, from, MIB)).status, 200);
  });

  const identify = (app: TestApp, from: string, installId: string, key = app.keys.live_publishable) =>
    world.call('POST', '/v1/sdk/identify', { key, from, body: { installId, userId: 'u1' } });

  it('an install that calls too often does not use up the limit of its address', async () => {
    const app = await world.newApp();
    const from = freshAddress();
    const installId = randomUUID();
    let passed = 0;
    for (let called = 0; called < 1_000; called++) {
      const named = called % 2 === 0 ? installId : installId.toUpperCase();
      if ((await identify(app, from, named)).status !== 429) passed += 1;
    }
    assert.equal(passed, 120);
    const refused = await identify(app, from, installId);
    assert.equal(refused.headers['ratelimit-policy'], '"sdk-install";q=120;w=60');
    assert.match(refused.body.error, /of this install: at most 120 a minute/);
    assert.ok(Number(refused.headers['retry-after']) >= 1);
    const other = await identify(app, from, randomUUID());
    assert.equal(other.status, 404);
    assert.match(String(other.headers.ratelimit), /^"sdk";r=479;/);
  });

  it('a call counts for its install, a batch for the install of its first event', async () => {
    const app = await world.newApp();
    const from = freshAddress();
    const installId = randomUUID();
    const key = app.keys.live_publishable;
    const calls: Record<string, object> = {
      install: { fingerprint: IPHONE_FINGERPRINT, installId },
      open: { fingerprint: IPHONE_FINGERPRINT, installId },
      event: { installId, eventName: '' },
      events: { events: [{ installId, eventName: 'a' }] },
      identify: { installId, userId: 'u1' },
      resolve: { shortCode: 'unknown1', installId },
    };
    const callEach = async () => {
      const answers = [];
      for (const [name, body] of Object.entries(calls))
        answers.push((await world.call('POST', `/v1/sdk/${name}`, { key, from, body })).status);
      return answers;
    };
    for (let round = 0; round < 20; round++) assert.ok(!(await callEach()).includes(429));
    assert.deepEqual(await callEach(), [429, 429, 429, 429, 429, 429]);
  });

  it('the limit of an install is per address, and does not apply to secret keys', async () => {
    const app = await world.newApp();
    const [from, other] = [freshAddress(), freshAddress()];
    const installId = randomUUID();
    for (let called = 0; called < 121; called++) await identify(app, from, installId);
    assert.equal((await identify(app, from, installId)).status, 429);
    assert.equal((await identify(app, other, installId)).status, 404);
    assert.equal((await identify(app, from, installId, app.keys.live)).status, 404);
  });
});
