import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { bootstrap, META_KEYS } from '../../../src/apps/index.ts';
import { inspectSecret, openSecrets } from '../../../src/root-secret/index.ts';
import { ROWS_PER_BATCH, reencrypt } from '../../../src/root-secret/reencrypt.ts';
import { WEBHOOK_SECRETS } from '../../../src/webhooks/index.ts';
import { type Engine, engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld, World } from '../../helpers/world.ts';

const [A, B, C, D] = ['first', 'second', 'third', 'fourth'].map(
  (name) => `the ${name} secret key of a test`,
) as [string, string, string, string];
const COLUMNS = [...WEBHOOK_SECRETS, META_KEYS];

for (const engine of engines)
  describe(`a rotation of SECRET_KEY on ${engine}`, () => {
    const world = useWorld(engine, { SECRET_KEY: A });

    it('keeps clicks matchable, webhooks signed, repeats known and addresses found', async () => {
      const { app, from } = await begin(world);
      const webhook = await newWebhook(world, app);
      const { shortCode } = await world.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
      await world.tap(shortCode, { from });
      const { installId } = (await world.install(app, {}, { from: freshAddress() })).body;
      const known = { installId, eventId: randomUUID() };
      assert.equal(await countEvents(world, app, known), 1);

      await world.restart({ SECRET_KEY: B, PREVIOUS_SECRET_KEY: A });
      const installed = await world.install(app, {}, { from });
      assert.equal(installed.body.method, 'FINGERPRINT', installed.text);
      assert.equal(secretOf(world, await row(world, webhook)), SECRET);
      assert.equal(await countEvents(world, app, known), 1);

      await world.tap(shortCode, { from });
      await world.service.clickLog.applied(app.id);
      const body = { ipAddress: from };
      const found = (await world.call('POST', '/v1/privacy/export', { key: app.keys.live, body })).body;
      assert.deepEqual([found.clicks.length, found.installs.length], [2, 1]);
      const dry = await world.call('POST', '/v1/privacy/erase', {
        key: app.keys.live,
        body: { ...body, dryRun: true },
      });
      assert.equal(dry.body.counts.clicks, 2, dry.text);
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body }))
        .body;
      await waitFor('the erasure', async () => {
        const { status } = (
          await world.call('GET', `/v1/privacy/erase/${requestIds[0]}`, { key: app.keys.live })
        ).body;
        return status === 'completed' || undefined;
      });
      const { db } = world.service;
      const clicks = await db.selectFrom('clicks').select('ip_hash').where('app_id', '=', app.id).execute();
      assert.deepEqual(clicks, [{ ip_hash: null }, { ip_hash: null }]);
    });

    it('twice keeps them, and the former secrets are not needed again', async () => {
      const { app, from } = await begin(world);
      const webhook = await newWebhook(world, app);
      const { shortCode } = await world.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
      const { installId } = (await world.install(app, {}, { from: freshAddress() })).body;
      const known = { installId, eventId: randomUUID() };
      assert.equal(await countEvents(world, app, known), 1);
      await world.tap(shortCode, { from });
      await world.restart({ SECRET_KEY: C, PREVIOUS_SECRET_KEY: B });
      await world.restart({ SECRET_KEY: D, PREVIOUS_SECRET_KEY: C });
      await world.restart({ PREVIOUS_SECRET_KEY: '' });
      assert.equal((await world.install(app, {}, { from })).body.method, 'FINGERPRINT');
      assert.equal(secretOf(world, await row(world, webhook)), SECRET);
      assert.equal(await countEvents(world, app, known), 1);

      // Longer ago than the window of the fingerprint, a former secret is not looked at.
      const window = 721 * 3_600_000;
      const hashesSince = (sinceMs: number) =>
        world.service.secrets.otherAddressHashes(app.id, from, sinceMs).length;
      assert.deepEqual(
        [hashesSince(0), hashesSince(world.clock.nowMs() + window)],
        [3, 0],
        'erasures look at all of them',
      );
    });

    it('encrypts everything again in bounded batches, and goes on after an interruption', async () => {
      const { app } = await begin(world);
      const webhook = await newWebhook(world, app);
      const { db, secrets, ids } = world.service;
      const template = await row(world, webhook);
      const copies = Array.from({ length: ROWS_PER_BATCH * 2 }, () => {
        const id = ids.next();
        return { ...template, id, secret: secrets.encrypt(SECRET, `webhook ${app.id} ${id}`) };
      });
      for (let from = 0; from < copies.length; from += 50)
        await db
          .insertInto('webhooks')
          .values(copies.slice(from, from + 50))
          .execute();

      const quiet = pino({ level: 'silent' });
      const deps = { ...world.service, log: quiet };
      const now = await openSecrets(deps, { rootSecret: A, previousSecret: D });
      const mine = async () => {
        const rows = await db.selectFrom('webhooks').selectAll().where('app_id', '=', app.id).execute();
        const old = rows.filter(
          (each) => !now.secrets.isOfPresent(each.secret ?? '', `webhook ${app.id} ${each.id}`),
        );
        assert.ok(
          rows.every(
            (each) => now.secrets.decrypt(each.secret ?? '', `webhook ${app.id} ${each.id}`) === SECRET,
          ),
        );
        return old.length;
      };
      assert.equal(await mine(), copies.length + 1);
      const interrupted = reencrypt({ db, secrets: now.secrets }, COLUMNS, async () => {
        throw new Error('killed');
      });
      await assert.rejects(interrupted, /killed/);
      const left = await mine();
      assert.ok(left > 0 && left >= copies.length + 1 - ROWS_PER_BATCH, `${left} left`);
      const { unreadable } = await reencrypt({ db, secrets: now.secrets }, COLUMNS);
      assert.deepEqual([await mine(), unreadable], [0, 0]);
      assert.deepEqual(await reencrypt({ db, secrets: now.secrets }, COLUMNS), { changed: 0, unreadable: 0 });
      await openSecrets(deps, { rootSecret: D, previousSecret: A });
    });

    it('a wrong, a former or a missing secret is refused at the start in one line that says what to do', async () => {
      await begin(world);
      const log = pino({ level: 'silent' });
      const start = (settings: Parameters<typeof openSecrets>[1], config: object = {}) =>
        openSecrets({ ...world.service, log, config: { ...world.service.config, ...config } }, settings);
      const given = { secretKey: 'x', previousSecretKey: 'y' };
      for (const [secrets, text] of [
        [
          { rootSecret: 'another' },
          /^SECRET_KEY is not the secret .*PREVIOUS_SECRET_KEY .*ACCEPT_NEW_SECRET_KEY=1/,
        ],
        [
          { rootSecret: 'another', previousSecret: 'wrong' },
          /^SECRET_KEY is not .*nor is PREVIOUS_SECRET_KEY/,
        ],
        [{ rootSecret: B }, /^SECRET_KEY is a former secret: it was replaced, last on 2.*Set the new one/],
        [
          { rootSecret: D, previousSecret: 'wrong' },
          /^PREVIOUS_SECRET_KEY is none of the secrets .*Correct it/,
        ],
      ] as const)
        await assert.rejects(start(secrets, given), ({ name, message }: Error) => {
          assert.equal(name, 'StartError');
          assert.match(message, text);
          assert.doesNotMatch(message, /\n|another|wrong key/);
          return true;
        });
      await assert.rejects(start({ rootSecret: 'another' }, { secretKey: null }), ({ message }: Error) =>
        message.startsWith(`${world.place.dataDir}/secret-key is not the secret`),
      );
      await start({ rootSecret: D, previousSecret: B }, given);
    });

    it('keeps the previous secret needed while the file has one that waits for a restart', async (t) => {
      await begin(world);
      const { db, config: own } = world.service;
      await db.updateTable('former_secrets').set({ reencrypted_at: '2026-11-26T00:00:00.000Z' }).execute();
      const file = join(world.place.dataDir, 'secret-key');
      t.after(() => rmSync(file, { force: true }));
      const config = { ...own, secretKey: null };
      const log = pino({ level: 'silent' });
      writeFileSync(file, `${D}\n`);
      const inUse = await openSecrets({ ...world.service, log, config }, { rootSecret: D });
      assert.equal((await inUse.describe()).mayRemovePrevious, true);
      for (const replaced of ['another', '']) {
        writeFileSync(file, replaced);
        assert.equal((await inUse.describe()).mayRemovePrevious, false, replaced);
      }
      const inspected = await inspectSecret(db, config, { rootSecret: 'another', previousSecret: D });
      assert.deepEqual([inspected.refusal, inspected.mayRemovePrevious], [null, false]);
    });

    it('is not declared complete by a process that does not know the new secret', async () => {
      await begin(world);
      const deps = { ...world.service, log: pino({ level: 'silent' }) };
      const old = await openSecrets(deps, { rootSecret: D });
      await openSecrets(deps, { rootSecret: 'fifth', previousSecret: D });
      world.clock.advance(60_000);
      const loop = old.start(COLUMNS);
      try {
        await waitFor('the look', () => old.isUnknown() || undefined);
      } finally {
        await loop.stop();
      }
      const former = await world.service.db
        .selectFrom('former_secrets')
        .select(['mark', 'reencrypted_at'])
        .orderBy('replaced_at', 'desc')
        .execute();
      assert.equal(former[0]?.reencrypted_at, null);
      await openSecrets(deps, { rootSecret: D, previousSecret: 'fifth' });
    });

    it('with a lost secret, ACCEPT_NEW_SECRET_KEY goes on with another one', async () => {
      const { app } = await begin(world);
      const webhook = await newWebhook(world, app);
      const warnings: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line).msg) });
      const config = { ...world.service.config, acceptNewSecretKey: true };
      const accepted = await openSecrets({ ...world.service, log, config }, { rootSecret: 'another' });
      assert.match(warnings[0] ?? '', /^SECRET_KEY is from now on .*webhooks wait until/);
      assert.match(warnings[1] ?? '', /^Remove ACCEPT_NEW_SECRET_KEY/);
      const { secret } = await row(world, webhook);
      assert.equal(accepted.secrets.decrypt(secret ?? '', `webhook ${app.id} ${webhook}`), null);
      await openSecrets({ ...world.service, log, config: world.service.config }, { rootSecret: 'another' });
      assert.equal(warnings.length, 2);
    });

    it('is left to processes that know the secret in use: another one does not call it done', async () => {
      const deps = { ...world.service, log: pino({ level: 'silent' }) };
      const late = await openSecrets(deps, { rootSecret: 'another' });
      await openSecrets(deps, { rootSecret: 'newest', previousSecret: 'another' });
      // By then every process that knows it uses it.
      world.clock.advance(60_000);
      const loop = late.start(COLUMNS);
      await waitFor('the unknown secret', () => late.isUnknown() || undefined);
      await sleep(500);
      await loop.stop();
      assert.equal((await late.describe()).mayRemovePrevious, false);
    });
  });

for (const engine of engines.filter((each) => each === 'postgres'))
  describe('a rotation of SECRET_KEY in several processes', () => {
    const one = useWorld(engine, { SECRET_KEY: A, NEXT_SECRET_KEY: B });

    it('a process that knows the next secret reads what another one stores with it, and follows', async () => {
      const { app, from } = await begin(one);
      const two = await besides(engine, one, { SECRET_KEY: B, PREVIOUS_SECRET_KEY: A });
      try {
        const { shortCode } = await one.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
        await two.tap(shortCode, { from });
        await two.service.clickLog.applied(app.id);
        const webhook = await newWebhook(two, app);
        assert.equal((await one.install(app, {}, { from })).body.method, 'FINGERPRINT');
        assert.equal(secretOf(one, await row(one, webhook)), SECRET);
        const hashOf = (world: World) => world.service.secrets.hashAddress(app.id, from);
        await waitFor('the first process to follow', () => hashOf(one) === hashOf(two) || undefined);
        // Restarted with its own settings, it goes on with the secret in use.
        await one.restart();
        assert.equal(hashOf(one), hashOf(two));
      } finally {
        await two.remove();
      }
    });
  });

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHdlYmhvb2sgaW4gYSB0ZXN0';

async function begin(world: World): Promise<{ app: TestApp; from: string }> {
  await bootstrap(world.service);
  return { app: await world.newApp(), from: freshAddress() };
}

/** Another process on the same database. */
async function besides(engine: Engine, { place }: World, env: Record<string, string>): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  const world = new World(engine, { ...env, DATA_DIR: dataDir, DATABASE_URL: place.databaseUrl ?? '' });
  await world.open();
  const remove = world.remove.bind(world);
  world.remove = async () => {
    await remove();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return world;
}

async function newWebhook(world: World, app: TestApp): Promise<string> {
  const body = { url: 'https://receiver.example/hook', events: ['install.attributed'], secret: SECRET };
  const made = await world.call('POST', '/v1/webhooks', { key: app.keys.live, body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function row(world: World, id: string) {
  return await world.service.db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

function secretOf({ service }: World, { app_id, id, secret }: Awaited<ReturnType<typeof row>>) {
  return service.secrets.decrypt(secret ?? '', `webhook ${app_id} ${id}`);
}

/** @returns the number of stored events with this ID. */
async function countEvents(world: World, app: TestApp, fields: { installId: string; eventId: string }) {
  const body = { ...fields, eventName: 'level' };
  const answer = await world.call('POST', '/v1/sdk/event', { key: app.keys.live_publishable, body });
  assert.ok(answer.status < 300, answer.text);
  const events = await world.service.db
    .selectFrom('events')
    .select('id')
    .where('app_id', '=', app.id)
    .where('event_name', '=', 'level')
    .execute();
  return events.length;
}
