/** Rotation of a webhook secret: signatures during the overlap, and places that must not contain it. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { DAY_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { engines, makePlace, type Place } from '../../helpers/engines.ts';
import { startServer } from '../../helpers/process.ts';
import { assertError } from '../../helpers/shapes.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { type Receipt, useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { callServer, installOn, waitingFor } from '../../helpers/webhook-scene.ts';
import { deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const KEY = 'svc_live_0123456789abcdef';

const plainSecret = () => `a secret of ${randomUUID()}`;
const standardSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const verifierOf = (secret: string) =>
  secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });

const bytesOf = ({ body }: Receipt) => Buffer.from(body, 'base64');
const signaturesOf = ({ headers }: Receipt) => String(headers['webhook-signature']).split(' ');

/** Verifies with the library that receivers use, which also checks the timestamp. */
function verifies(receipt: Receipt, secret: string): boolean {
  try {
    verifierOf(secret).verify(bytesOf(receipt), receipt.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** The signature that the library would create, without a check of the timestamp. */
function signed(receipt: Receipt, secret: string): string {
  const at = new Date(Number(receipt.headers['webhook-timestamp']) * SECOND_MS);
  return verifierOf(secret).sign(receipt.webhookId, at, bytesOf(receipt));
}

function assertServiceSignature(receipt: Receipt, secret: string): void {
  const mac = createHmac('sha256', secret).update(bytesOf(receipt)).digest('hex');
  assert.equal(receipt.headers['x-service-signature'], mac);
}

for (const engine of engines)
  describe(`rotation of a webhook's secret on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receivers = useReceiverProcess();

    async function scene(secret: string) {
      const path = `/${randomUUID()}`;
      const app = await world.newApp();
      const key = app.keys.live;
      const { id } = await newWebhook(world, app, { url: receivers.get.url(path), secret });
      const patch = async (body: object) => {
        const answer = await world.call('PATCH', `/v1/webhooks/${id}`, { key, body });
        assert.equal(answer.status, 200, answer.text);
      };
      const send = async () => {
        const { status, text } = await world.call('POST', `/v1/webhooks/${id}/test`, { key });
        assert.equal(status, 200, text);
        return (await receivers.get.received(path)).at(-1) as Receipt;
      };
      return { id, patch, send };
    }

    for (const [form, make] of [
      ['plain', plainSecret],
      ['whsec_', standardSecret],
    ] as const)
      it(`both ${form} secrets verify for 24 hours, then only the new one`, async () => {
        const [former, next] = [make(), make()];
        const { patch, send } = await scene(former);
        const before = await send();
        assert.deepEqual([verifies(before, former), verifies(before, next)], [true, false]);
        assert.equal(signaturesOf(before).length, 1);
        assertServiceSignature(before, former);

        await patch({ secret: next });
        const during = await send();
        assert.deepEqual([verifies(during, former), verifies(during, next)], [true, true]);
        assert.equal(signaturesOf(during).length, 2);
        assertServiceSignature(during, next);

        world.clock.advance(DAY_MS - 60 * SECOND_MS);
        const late = await send();
        world.clock.advance(61 * SECOND_MS);
        const after = await send();
        // Restores the clock for the following tests and for the library's timestamp check.
        world.clock.advance(-DAY_MS - SECOND_MS);
        assert.deepEqual(signaturesOf(late), [signed(late, next), signed(late, former)]);
        assert.deepEqual(signaturesOf(after), [signed(after, next)]);
        assertServiceSignature(after, next);
      });

    it('a secret set after SECRET_KEY was lost signs at once, without another', async () => {
      const [lost, next] = [plainSecret(), plainSecret()];
      const app = await world.newApp();
      const path = `/${randomUUID()}`;
      const { id } = await newWebhook(world, app, { url: receivers.get.url(path), secret: lost });
      const { db, secrets } = world.service;
      const unreadable = secrets.encrypt(lost, 'the webhook under another key');
      await db.updateTable('webhooks').set({ secret: unreadable }).where('id', '=', id).execute();
      const key = app.keys.live;
      const test = () => world.call('POST', `/v1/webhooks/${id}/test`, { key });
      assertError(await test(), 502, 'webhook.test_failed', /Set the webhook’s secret again/);

      await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { secret: next } });
      assert.equal((await test()).status, 200);
      const [receipt] = await receivers.get.received(path);
      assert.ok(receipt);
      assert.deepEqual(signaturesOf(receipt), [signed(receipt, next)]);
    });

    it('deliveries of a webhook whose secret cannot be decrypted wait, and arrive once it is set again', async () => {
      const next = plainSecret();
      const app = await world.newApp();
      const path = `/${randomUUID()}`;
      const url = receivers.get.url(path);
      const { id } = await newWebhook(world, app, { url, events: ['install.organic'] });
      const { db, secrets } = world.service;
      const unreadable = secrets.encrypt('lost', 'the webhook under another key');
      await db.updateTable('webhooks').set({ secret: unreadable }).where('id', '=', id).execute();
      const problems = async () =>
        (await world.admin('GET', '/health')).body.problems.map((each: { code: string }) => each.code);
      assert.deepEqual(await problems(), ['webhooks.unsigned']);
      await world.install(app);
      for (let nth = 0; nth < 5; nth++) {
        await sleep(300);
        world.clock.advance(10 * SECOND_MS);
      }
      assert.deepEqual(await deliveriesOf(world, app, id), []);
      assert.equal(await waitingFor(world.place, id), 1);

      await world.call('PATCH', `/v1/webhooks/${id}`, { key: app.keys.live, body: { secret: next } });
      const receipt = await waitFor('the delivery', async () => (await receivers.get.received(path))[0]);
      assert.deepEqual(signaturesOf(receipt), [signed(receipt, next)]);
      assert.deepEqual(await problems(), []);
    });

    it('a former secret is deleted from the database once it no longer signs', async () => {
      const { patch, id } = await scene(plainSecret());
      const { service } = world;
      const former = async () => {
        await dropOld(service);
        const row = service.db.selectFrom('webhooks').select(['former_secret', 'former_secret_until']);
        const { former_secret, former_secret_until } = await row
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        return [former_secret, former_secret_until];
      };
      await patch({ secret: plainSecret() });
      assert.notEqual((await former())[0], null);
      world.clock.advance(DAY_MS);
      assert.deepEqual(await former(), [null, null]);
      world.clock.advance(-DAY_MS);
    });

    it('of three secrets the last two verify', async () => {
      const [first, second, third] = [plainSecret(), standardSecret(), plainSecret()];
      const { patch, send } = await scene(first);
      await patch({ secret: second });
      await patch({ secret: third });
      const receipt = await send();
      assert.deepEqual(
        [first, second, third].map((secret) => verifies(receipt, secret)),
        [false, true, true],
      );
      assertServiceSignature(receipt, third);
    });

    it('the same secret again, or null, changes nothing', async () => {
      const [former, next] = [plainSecret(), plainSecret()];
      const { patch, send } = await scene(former);
      await patch({ secret: next });
      await patch({ secret: next });
      await patch({ secret: null });
      const receipt = await send();
      assert.deepEqual([verifies(receipt, former), verifies(receipt, next)], [true, true]);
    });

    it('a retry is signed with the secrets valid at its time', async () => {
      const path = `/${randomUUID()}`;
      await receivers.get.behave(path, { kind: 'answer', status: 500 }, { kind: 'answer', status: 200 });
      const [former, next] = [plainSecret(), plainSecret()];
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: receivers.get.url(path), secret: former });
      await world.install(app);
      await waitFor(
        'the first attempt',
        async () => ((await receivers.get.state(path)).arrived > 0 ? true : undefined),
        { everyMs: 20 },
      );
      const changed = await world.call('PATCH', `/v1/webhooks/${id}`, {
        key: app.keys.live,
        body: { secret: next },
      });
      assert.equal(changed.status, 200);
      const [first, second] = await waitFor('the second attempt', async () => {
        const all = await receivers.get.received(path);
        return all.length === 2 ? all : undefined;
      });
      assert.ok(first && second);
      assert.deepEqual([verifies(first, former), verifies(first, next)], [true, false]);
      assert.deepEqual([verifies(second, former), verifies(second, next)], [true, true]);
      assertServiceSignature(second, next);
      assert.equal(second.body, first.body);
    });

    it('secrets are neither in the database, nor in the data directory, nor in the log', async () => {
      const place = await makePlace(engine);
      const env = { BOOTSTRAP_LIVE_KEY: KEY, LOG_LEVEL: 'debug', ...RECEIVER_ENV };
      const server = await startServer(place, env);
      try {
        const secrets = [plainSecret(), standardSecret(), `wrong ${'s'.repeat(300)}`];
        const path = `/${randomUUID()}`;
        await receivers.get.behave(path, { kind: 'answer', status: 500 });
        const url = receivers.get.url(path);
        const created = await fetch(`${server.url}/v1/webhooks`, {
          method: 'POST',
          headers: { 'x-api-key': KEY, 'content-type': 'application/json', 'idempotency-key': 'once' },
          body: JSON.stringify({ url, secret: secrets[0] }),
        });
        const { id } = (await created.json()) as { id: string };
        const webhook = `/v1/webhooks/${id}`;
        await callServer(server, KEY, ['PATCH', webhook, { secret: secrets[1] }]);
        const refused = callServer(server, KEY, ['PATCH', webhook, { secret: secrets[2] }]);
        await assert.rejects(refused, (error: Error) => !error.message.includes('sssss'));
        await installOn(server, KEY);
        await waitFor('an attempt', async () =>
          (await receivers.get.state(path)).arrived > 0 ? true : undefined,
        );
        await server.end('SIGTERM');
        const stored = `${await textOf(place)}\n${filesOf(place.dataDir)}`;
        const log = server.output();
        for (const secret of secrets)
          for (const form of formsOf(secret)) {
            assert.ok(!stored.includes(form), 'a secret is stored in plain text');
            assert.ok(!log.includes(form), 'a secret is in the log');
          }
      } finally {
        await server.end('SIGKILL');
        await place.remove();
      }
    });
  });

/** Verbatim, without its prefix, and in the most common encodings. */
function formsOf(secret: string): string[] {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  return [
    secret.replace('whsec_', ''),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    key.toString('hex'),
    key.toString('base64url'),
  ];
}

/** The bytes of every file, one character each. */
function filesOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

/** Every row of every table on PostgreSQL; on SQLite the file is searched instead. */
async function textOf(place: Place): Promise<string> {
  if (place.databaseUrl === null) return '';
  const tables = await queryStored(
    place,
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  assert.ok(tables.length > 5);
  const texts = tables.map(async ({ table_name: name }) =>
    JSON.stringify(await queryStored(place, `select * from "${String(name)}"`)),
  );
  return (await Promise.all(texts)).join('\n');
}
