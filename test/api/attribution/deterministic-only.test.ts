/** SDK endpoints: `deterministicOnly`, without consent to device signals. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { dayOf, isoTime } from '../../../src/lib/clock.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { erase, rowsOf } from '../../helpers/privacy-scene.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

/** All fields, since none of them may be stored or matched. */
const FINGERPRINT = {
  ...IPHONE_FINGERPRINT,
  userAgent: 'Shop/7 (iPhone)',
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
  timezone: 'Europe/Berlin',
};
const VERSIONS = { appVersion: '4.2.0', sdkVersion: '1.0.0' };
const AMERICAN = '8.8.8.8';
const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of neutralEngines)
  describe(`SDK endpoints, deterministicOnly, on ${engine}`, () => {
    const world = useWorld(engine);

    const send = async (app: TestApp, path: string, body: object, from: string) => {
      const answer = await world.call('POST', `/v1/sdk/${path}`, {
        key: app.keys.live_publishable,
        from,
        body: { fingerprint: FINGERPRINT, ...body },
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const readTrace = async (app: TestApp, installId: string) =>
      (await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live })).body;

    /** An install, an open and a direct open from an address, alone and in batches. */
    async function recordAll(app: TestApp, from: string, deterministicOnly: boolean | null) {
      const fingerprint = { ...FINGERPRINT, ...VERSIONS };
      const call = { fingerprint, deterministicOnly };
      const { shortCode } = await world.newLink(app);
      await send(app, 'install', call, from);
      await send(app, 'open', call, from);
      await send(app, 'resolve', { ...call, shortCode, openId: randomUUID() }, from);
      for (const list of ['installs', 'opens'])
        assert.equal((await send(app, list, { [list]: [call] }, from)).results[0].status, 200);
      return [...(await rowsOf(world, app, 'installs')), ...(await rowsOf(world, app, 'opens'))];
    }

    it('installs, opens and direct opens store of the device its platform and the versions of the app and SDK', async () => {
      const rows = await recordAll(await world.newApp(), AMERICAN, true);
      assert.equal(rows.length, 5);
      for (const { platform, fingerprint, ...row } of rows) {
        assert.deepEqual([platform, JSON.parse(String(fingerprint))], ['IOS', VERSIONS]);
        for (const column of ['ip_hash', 'user_agent', 'device_model', 'os_version', 'locale', 'country'])
          assert.equal(row[column], null, column);
      }
      for (const consent of [false, null])
        for (const row of await recordAll(await world.newApp(), AMERICAN, consent))
          assert.deepEqual(
            [row.country, row.os_version, typeof row.ip_hash],
            ['US', FINGERPRINT.osVersion, 'string'],
          );
    });

    it('no table has the address or its hash', async () => {
      const app = await world.newApp();
      const [from, other] = [freshAddress(), freshAddress()];
      await recordAll(app, from, true);
      await recordAll(app, other, false);
      const { db, secrets } = world.service;
      const stored: string[] = [];
      for (const { name } of await db.introspection.getTables())
        stored.push(
          JSON.stringify(
            await db
              .selectFrom(name as 'installs')
              .selectAll()
              .execute(),
          ),
        );
      const isStored = (text: string | null) => stored.some((rows) => rows.includes(String(text)));
      assert.ok(isStored(secrets.hashAddress(app.id, other)));
      assert.ok(!isStored(secrets.hashAddress(app.id, from)));
      assert.ok(!isStored(from));
    });

    it('a click that the fingerprint would match is not matched, and the trace has the reason', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await world.tap((await world.newLink(app)).shortCode, { from, userAgent: IPHONE });
      const debug = { body: { apiKey: app.keys.live, fingerprint: { ...FINGERPRINT, ipAddress: from } } };
      const dryRun = async (deterministicOnly: boolean) =>
        (
          await world.call('POST', '/v1/debug/attribution', {
            body: { ...debug.body, deterministicOnly },
            from: freshAddress(),
          })
        ).body.method;
      assert.deepEqual([await dryRun(true), await dryRun(false)], ['ORGANIC', 'FINGERPRINT']);
      for (const path of ['install', 'open'])
        assert.equal((await send(app, path, { deterministicOnly: true }, from)).method, 'ORGANIC');
      const [install] = await rowsOf(world, app, 'installs');
      const { explanation, reason } = await readTrace(app, String(install?.id));
      assert.deepEqual(explanation.fingerprint, { outcome: 'deterministic_only' });
      assert.match(reason, /deterministic matching only/);
      for (const path of ['install', 'open'])
        assert.equal((await send(app, path, {}, from)).method, 'FINGERPRINT');
    });

    it('a click ID and a referrer match, and the country is that of the click', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const from = freshAddress();
      const clickIds = [];
      for (let taps = 0; taps < 3; taps++) clickIds.push(await world.clickId(shortCode, { from: AMERICAN }));
      const call = { deterministicOnly: true };
      const installReferrer = `svc_click_id=${clickIds[0]}`;
      const byReferrer = await send(app, 'install', { ...call, installReferrer }, from);
      const byId = await send(app, 'install', { ...call, clickId: clickIds[1] }, from);
      const open = await send(app, 'open', { ...call, clickId: clickIds[2] }, from);
      assert.deepEqual(
        [byReferrer, byId, open].map(({ method, clickId }) => [method, clickId]),
        [
          ['INSTALL_REFERRER', clickIds[0]],
          ['CLICK_ID', clickIds[1]],
          ['CLICK_ID', clickIds[2]],
        ],
      );
      for (const table of ['installs', 'opens'] as const)
        for (const { country, ip_hash } of await rowsOf(world, app, table))
          assert.deepEqual([country, ip_hash], ['US', null]);
    });

    it('a retry gets the first answer, with other consent too', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await world.tap((await world.newLink(app)).shortCode, { from, userAgent: IPHONE });
      const installId = randomUUID();
      const first = await send(app, 'install', { installId, deterministicOnly: true }, from);
      assert.deepEqual(await send(app, 'install', { installId }, from), first);
      assert.equal((await rowsOf(world, app, 'installs')).length, 1);
    });

    it('a consent that is withdrawn takes what finds the person at other services, and one given later keeps it again', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const installReferrer = 'gclid=CjwKCA-1&utm_source=google-play';
      const { installId } = await send(
        app,
        'install',
        { installReferrer, fingerprint: { platform: 'ANDROID' } },
        from,
      );
      const tell = async () => {
        const event = { installId, eventName: 'set_identifiers', properties: { vendorId: 'v-1' } };
        await send(app, 'events', { events: [event] }, from);
      };
      const kept = async () => {
        const [install] = await rowsOf(world, app, 'installs');
        return [install?.deterministic_only, install?.identifiers, install?.google_click_ids];
      };
      await tell();
      const told = '{"vendorId":"v-1"}';
      assert.deepEqual((await kept()).slice(0, 2), [null, told]);
      assert.match(String((await kept())[2]), /CjwKCA-1/);
      await send(app, 'open', { installId, deterministicOnly: true }, from);
      await tell();
      assert.deepEqual(await kept(), [1, null, null]);
      await send(app, 'open', { installId, deterministicOnly: false }, from);
      await tell();
      assert.deepEqual(await kept(), [null, told, null]);
    });

    it('the records count against the daily limit of their address', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await recordAll(app, from, true);
      const { dailyUsage, secrets } = world.service;
      const subject = secrets.markId(app.id, secrets.hashAddress(app.id, from) ?? '');
      const day = dayOf(isoTime(world.clock.nowMs()));
      const usage = dailyUsage.of({ app_id: app.id, day, kind: 'address_install', subject });
      assert.equal(usage.records, 5);
      usage.add(20_000, 0);
      const refused = await world.install(app, { deterministicOnly: true }, { from });
      assertError(refused, 429, 'install.daily_limit');
    });

    it('an erasure and an export by user ID find the records and the claimed click; those by address do not', async () => {
      const app = await world.newApp();
      const [from, userId] = [freshAddress(), `user ${randomUUID()}`];
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const { installId } = await send(app, 'install', { clickId, deterministicOnly: true }, from);
      await send(app, 'open', { installId, userId, deterministicOnly: true }, from);
      const find = async (person: object) => {
        const call = { key: app.keys.live, body: person };
        const { body } = await world.call('POST', '/v1/privacy/export', call);
        return [body.installs.length, body.openEvents.length, body.clicks.length];
      };
      assert.deepEqual(await find({ ipAddress: from }), [0, 0, 0]);
      assert.deepEqual(await find({ userId }), [1, 1, 1]);
      await erase(world, app, { userId });
      const [open] = await rowsOf(world, app, 'opens');
      const [install] = await rowsOf(world, app, 'installs');
      const [click] = await rowsOf(world, app, 'clicks');
      assert.deepEqual([open?.user_id, install?.fingerprint, click?.ip_hash], [null, null, null]);
    });

    it('field: deterministicOnly, boolean, optional and nullable', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      for (const path of ['install', 'open', 'resolve'])
        for (const deterministicOnly of ['true', 1, {}])
          assertError(
            await world.call('POST', `/v1/sdk/${path}`, {
              key: app.keys.live_publishable,
              body: { fingerprint: FINGERPRINT, shortCode, deterministicOnly },
            }),
            400,
            'request.invalid',
            'deterministicOnly',
          );
    });
  });
