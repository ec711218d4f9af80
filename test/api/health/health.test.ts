/** The state of the service for its operators. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { isoTime } from '../../../src/lib/clock.ts';
import { writeLastBackup } from '../../../src/lib/data-dir/index.ts';
import { VERSION } from '../../../src/lib/version.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

for (const engine of engines)
  describe(`the health of the service on ${engine}`, () => {
    const world = useWorld(engine, { PUBLIC_URL: 'https://links.example.com' });
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });
    const read = async () => {
      const { status, body, text } = await world.admin('GET', '/health');
      assert.equal(status, 200, text);
      return body;
    };

    it('has the versions, the sizes of the data and the space of the disk, and no problem', async () => {
      await world.tap((await world.newLink(app, { fallbackUrl: 'https://example.com/' })).shortCode);
      const { version, startedAt, checkedAt, problems, database, journal, disk, retention } = await read();
      assert.equal(version, VERSION);
      assert.ok(Date.parse(startedAt) <= Date.parse(checkedAt));
      assert.deepEqual(problems, []);
      assert.deepEqual([database.engine, database.status], [engine, 'ok']);
      assert.match(database.version, engine === 'sqlite' ? /^3\./ : /^1\d/);
      assert.ok(database.bytes > 100_000, `${database.bytes} bytes of the database`);
      assert.ok(journal.bytes > 0);
      assert.ok(disk.freeBytes > disk.reservedBytes && disk.reservedBytes >= 64 * 1024 ** 2);
      assert.ok(disk.journalBytes > 0 && disk.databaseBytes > 0 === (engine === 'sqlite'));
      assert.ok(disk.dataBytes >= disk.journalBytes + disk.databaseBytes);
      assert.ok(disk.dataBytes >= journal.bytes + (engine === 'sqlite' ? database.bytes / 2 : 0));
      assert.deepEqual(retention, { clocksDiffer: false });
    });

    it('is open to an operator’s session', async () => {
      const operator = await newUser(world, { isOperator: true });
      const { status, body } = await callAs(world, operator, 'GET', '/v1/admin/health');
      assert.deepEqual([status, body.version], [200, VERSION]);
    });

    it('counts deliveries that wait, and those that were abandoned today', async () => {
      const { db, ids } = world.service;
      const nowMs = world.clock.nowMs();
      const empty = (await read()).queues;
      assert.deepEqual(empty, {
        ...{ deliveriesWaiting: 0, oldestDeliveryMs: null, deliveriesAbandonedToday: 0 },
        ...{ deliveriesAbandoned24h: 0, pendingCounts: empty.pendingCounts },
        ...{ erasuresRunning: 0, oldestErasureMs: null },
      });
      const delivery = {
        app_id: app.id,
        webhook_id: randomUUID(),
        message_id: ids.next(),
        failed_attempts: 0,
      };
      const waiting = (dueInMs: number) => ({
        ...{ ...delivery, id: ids.next(), status: 0 as const },
        next_attempt_at: isoTime(nowMs + dueInMs),
      });
      await db
        .insertInto('webhook_queue')
        .values([waiting(HOUR_MS), waiting(2 * HOUR_MS)])
        .execute();
      const entry = { app_id: app.id, details: '{}', sandbox: 0 as const, created_at: isoTime(nowMs) };
      const yesterday = `${randomUUID().replace(/^.{8}-.{4}-4/, '01900000-0000-7')}`;
      await db
        .insertInto('audit_log')
        .values([
          { ...entry, id: ids.next(), action: 'webhook.delivery_failed' },
          { ...entry, id: ids.next(), action: 'webhook.deleted' },
          { ...entry, id: yesterday, action: 'webhook.delivery_failed' },
        ])
        .execute();
      const { queues } = await read();
      assert.deepEqual(
        [queues.deliveriesWaiting, queues.oldestDeliveryMs, queues.deliveriesAbandonedToday],
        [2, null, 1],
      );
    });

    it('says which apps’ links all fail, why and what to do, a minute after a change at most', async () => {
      const fields = { iosBundleId: 'com.example.shop', androidPackage: 'com.example.shop' };
      const shop = await world.newApp({ name: 'Shop', ...fields, fallbackUrl: 'https://example.com/' });
      const codesOf = async () =>
        (await read()).problems
          .filter(({ apps }: { apps: { id: string }[] }) => apps.some(({ id }) => id === shop.id))
          .map(({ code, message }: { code: string; message: string }) => {
            assert.match(
              message,
              /^Every link of Shop fails to open the app on some phones\. .*(apple-app-site-association|assetlinks\.json)/,
            );
            assert.match(message, /Set (iosTeamId|androidCertFingerprints) of the app/);
            return code;
          });
      world.clock.advance(MINUTE_MS);
      assert.deepEqual(await codesOf(), [], 'without a link nothing fails');
      await world.newLink(shop);
      await world.newLink(shop, { sandbox: true });
      await world.newLink(shop, { expiresInDays: 1 });
      assert.deepEqual(await codesOf(), [], 'looked at once a minute');
      world.clock.advance(MINUTE_MS);
      assert.deepEqual(await codesOf(), [
        'association.ios_missing',
        'association.android_fingerprints_missing',
      ]);
      await world.admin('PATCH', `/apps/${shop.id}`, { iosTeamId: 'A1B2C3D4E5' });
      world.clock.advance(MINUTE_MS);
      assert.deepEqual(await codesOf(), ['association.android_fingerprints_missing']);
      const { links } = await read();
      assert.deepEqual(
        [links.apps, links.appsNotChecked],
        [(await world.admin('GET', '/apps')).body.length, 0],
      );
    });

    it('names webhooks and destinations that fail for long and what they gave up, by app, without the path of the address', async () => {
      const { db } = world.service;
      const shop = await world.newApp({ name: 'Hook shop' });
      const made = async (path: string, fields = {}) => {
        const url = `https://hooks.example.com/${path}`;
        const { body, status, text } = await world.call('POST', '/v1/webhooks', {
          key: shop.keys.live,
          body: { url, secret: 'generate', events: ['install.attributed'], ...fields },
        });
        assert.equal(status, 201, text);
        return body.id as string;
      };
      const [failing, recovered, disabled] = [await made('a'), await made('b'), await made('c')];
      await world.call('PATCH', `/v1/webhooks/${disabled}`, {
        key: shop.keys.live,
        body: { enabled: false },
      });
      const segment = { type: 'segment', name: 'Segment', config: { writeKey: 'a-write-key' } };
      const destination = await world.call('POST', '/v1/destinations', {
        key: shop.keys.live,
        body: segment,
      });
      const nowMs = world.clock.nowMs();
      const ago = (ms: number) => isoTime(nowMs - ms);
      const hour = (ms: number) => isoTime(nowMs - ms - ((nowMs - ms) % HOUR_MS));
      const row = (webhook_id: string, fields: object) => ({
        ...{ app_id: shop.id, webhook_id, delivered: 0, failed: 0 },
        ...{ last_success_at: null, last_failure_at: null, failing_since: null, hour: hour(0) },
        ...fields,
      });
      const last = { hour: isoTime(0), last_failure_at: ago(HOUR_MS) };
      await db
        .insertInto('webhook_hours')
        .values([
          row(failing, { ...last, failing_since: ago(3 * HOUR_MS) }),
          row(failing, { failed: 4 }),
          row(failing, { hour: hour(HOUR_MS), failed: 3 }),
          row(failing, { hour: hour(30 * HOUR_MS), failed: 50 }),
          row(recovered, last),
          row(recovered, { failed: 2 }),
          row(destination.body.id, { ...last, failing_since: ago(4 * HOUR_MS) }),
          row(disabled, { ...last, failing_since: ago(3 * HOUR_MS) }),
        ])
        .execute();
      world.clock.advance(MINUTE_MS);
      const { webhooks, problems } = await read();
      const common = { appId: shop.id, appName: 'Hook shop', url: 'https://hooks.example.com/…', name: null };
      assert.deepEqual(webhooks, [
        { ...common, webhookId: failing, failingSince: ago(3 * HOUR_MS), failed24h: 7 },
        { ...common, webhookId: recovered, failingSince: null, failed24h: 2 },
        {
          ...{ ...common, url: '', name: 'Segment', webhookId: destination.body.id },
          ...{ failingSince: ago(4 * HOUR_MS), failed24h: 0 },
        },
      ]);
      const ofShop = problems.filter(({ apps }: { apps: { id: string }[] }) =>
        apps.some(({ id }) => id === shop.id),
      );
      assert.deepEqual(
        ofShop.map(({ code }: { code: string }) => code),
        ['webhooks.failing', 'deliveries.abandoned'],
      );
      assert.match(ofShop[0].message, /Hook shop to Segment/);
    });

    it('has the last day by quarter hour: what all processes recorded, and what this one measured', async () => {
      const shop = await world.newApp();
      const { shortCode } = await world.newLink(shop, { fallbackUrl: 'https://example.com/' });
      const readQuarters = async () => {
        world.clock.advance(MINUTE_MS);
        return (await world.admin('GET', '/health/history')).body.quarters as Record<string, number>[];
      };
      const before = (await readQuarters()).at(-1);
      await world.tap(shortCode);
      const { body } = await world.call('POST', '/v1/sdk/install', {
        key: shop.keys.live_publishable,
        body: { fingerprint: { platform: 'IOS' } },
      });
      await world.call('POST', '/v1/sdk/events', {
        key: shop.keys.live_publishable,
        body: { events: [1, 2].map(() => ({ installId: body.installId, eventName: 'level' })) },
      });
      await world.service.counted(shop.id);
      const quarters = await readQuarters();
      assert.equal(quarters.length, 97);
      const sum = (name: string) => quarters.slice(-2).reduce((total, each) => total + Number(each[name]), 0);
      assert.ok(sum('installs') >= 1 && sum('events') >= 2, JSON.stringify([before, quarters.at(-1)]));
      assert.ok(sum('redirects') >= 1);
      const last = quarters.at(-1);
      assert.ok(Number(last?.memoryBytes) > 10_000_000 && Number(last?.diskFreeBytes) > 0);
      assert.equal(quarters[0]?.memoryBytes, null);
    });

    it('knows the age of the last backup that the command made', async () => {
      assert.deepEqual((await read()).backup, { lastAt: null });
      const at = isoTime(world.clock.nowMs() - 9 * DAY_MS);
      await writeLastBackup({ dataDir: world.place.dataDir }, { at, folder: '/backups/1' });
      const { backup, problems } = await read();
      assert.deepEqual(backup, { lastAt: at });
      assert.ok(problems.some(({ code }: { code: string }) => code === 'backup.old'));
    });

    it('says that retention waits while the clock is in doubt', async () => {
      world.clock.advance(2 * DAY_MS);
      const { problems, retention } = await read();
      const isShared = engine === 'postgres';
      assert.deepEqual(retention, { clocksDiffer: isShared });
      assert.deepEqual(
        problems
          .map(({ code }: { code: string }) => code)
          .filter((code: string) => code.startsWith('retention.')),
        [isShared ? 'retention.clocks_differ' : 'retention.leap'],
      );
    });
  });
