/** Malformed referrers and click IDs claim no click; the install with the correct ID still can. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, storedRows } from '../../helpers/refusal.ts';
import {
  type Answer,
  freshAddress,
  IPHONE_FINGERPRINT,
  type TestApp,
  useWorld,
} from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };
const SDK_PATHS = ['/v1/sdk/install', '/v1/sdk/open', '/v1/debug/attribution?explain=true'] as const;
const once = encodeURIComponent;
const twice = (text: string) => once(once(text));

/** Referrers that contain a click's ID without naming it; src/attribution/named-click.test.ts has truncated ones. */
function invalidReferrers(id: string): string[] {
  const named = `svc_click_id=${id}`;
  return [
    named.slice(0, -1),
    once(named).slice(0, -1),
    once(twice(named)),
    id,
    `=${id}`,
    `${id}=svc_click_id`,
    `SVC_CLICK_ID=${id}`,
    `xsvc_click_id=${id}`,
    `svc_click_id[]=${id}`,
    `${named}x`,
    `${named}-1`,
    `svc_click_id="${id}"`,
    `svc_click_id=${once(`{${id}}`)}`,
    `svc_click_id%ff=${id}`,
    '%'.repeat(16_384),
    '&'.repeat(16_384),
    '%3d'.repeat(5_000),
    '😀'.repeat(8_000),
    `${'a=b&'.repeat(3_000)}svc_click_id=${id.slice(1)}`,
  ];
}

/** Referrers that name a click, in the encodings in which networks deliver them. */
function validReferrers(id: string): string[] {
  const named = `svc_click_id=${id}`;
  return [
    once(named),
    twice(named),
    twice(`utm_source=x&${named}`),
    `utm_source=x&${once(named)}`,
    `utm_source=x;${named}`,
    `utm_content=100%&${named}`,
    `utm_content%3D100%%26${once(named)}`,
    `svc_click_id=&${named}`,
    `svc_click_id=x&${named}`,
    `svc_click_id=00000000-0000-0000-0000-000000000000&${named}`,
    `${named}%00`,
    `${named}%zz`,
    `${once(named)}%`,
    ` svc_click_id=${id.toUpperCase()}  `,
    `https://play.google.com/store/apps/details?id=com.example&referrer=${once(named)}`,
    once(`market://details?id=com.example&referrer=${once(named)}`),
  ];
}

function invalidClickIds(id: string): string[] {
  const [first = '', ...rest] = id.split('-');
  return [
    '',
    id.slice(0, 8),
    id.slice(0, -1),
    id.slice(1),
    id.replaceAll('-', ''),
    `{${id}}`,
    `urn:uuid:${id}`,
    `svc_click_id=${id}`,
    `${id}${id}`,
    `${id}'`,
    `${id}' or '1'='1`,
    `${id}\u200b`,
    `${id}%00`,
    [first, ...rest].join('\u2010'),
    id.replace(/\d/, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
    '%',
    '_'.repeat(36),
    '*',
    'null',
    'undefined',
    '__proto__',
    '[object Object]',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    'x'.repeat(4_096),
    '😀'.repeat(2_000),
  ];
}

for (const engine of engines)
  describe(`a click that is named incorrectly on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    let shortCode: string;
    let clickId: string;
    before(async () => {
      app = await world.newApp();
      shortCode = (await world.newLink(app, PLAY)).shortCode;
      clickId = await world.clickId(shortCode, { from: freshAddress() });
    });

    const send = (path: string, fields: object) => {
      const { live } = app.keys;
      const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: freshAddress() };
      const body = { fingerprint, ...fields, ...(path.includes('debug') && { apiKey: live }) };
      return world.call('POST', path, { key: live, body, from: freshAddress() });
    };
    const isClaimed = async () => {
      await world.service.clickLog.applied();
      const query = world.service.db.selectFrom('clicks').selectAll().where('id', '=', clickId);
      const { claimed_by_install, claimed_by_open } = await query.executeTakeFirstOrThrow();
      return claimed_by_install !== null || claimed_by_open !== null;
    };
    function assertOrganicOrRefused(answer: Answer, shown: string): void {
      if (answer.status === 200) {
        assert.deepEqual([answer.body.method, answer.body.clickId], ['ORGANIC', null], shown);
        assert.equal(answer.body.attributed, false);
      } else {
        assert.equal(answer.status, 400, `${shown}: ${answer.text}`);
        assertError(answer, shown);
      }
    }

    it('is not claimed by a referrer that is truncated, encoded too often or has other content', async () => {
      for (const path of SDK_PATHS) {
        const answers = invalidReferrers(clickId).map(async (installReferrer) =>
          assertOrganicOrRefused(
            await send(path, { installReferrer }),
            `${path} ${installReferrer.slice(0, 120)}`,
          ),
        );
        await Promise.all(answers);
      }
      assert.equal(await isClaimed(), false);
    });

    it('is not claimed by a malformed click ID', async () => {
      for (const path of SDK_PATHS) {
        const answers = invalidClickIds(clickId).map(async (odd) =>
          assertOrganicOrRefused(await send(path, { clickId: odd }), `${path} ${odd.slice(0, 120)}`),
        );
        await Promise.all(answers);
      }
      assert.equal(await isClaimed(), false);
    });

    it('is rejected if the name is too long or not a string, and no row is stored', async () => {
      const before = await storedRows(world);
      const long = `svc_click_id=${clickId}&x=${'y'.repeat(100_000)}`;
      const bad = [
        ...[long, once(long), `${'x='.repeat(50_000)}`].map((installReferrer) => ({ installReferrer })),
        ...[[clickId], { id: clickId }, 7, true, 'x'.repeat(4_097), `${clickId}\u0000`].map((odd) => ({
          clickId: odd,
        })),
      ];
      for (const path of SDK_PATHS)
        for (const fields of bad) {
          // The contract has no referrer for opens, so it is ignored.
          if (path.endsWith('open') && 'installReferrer' in fields) continue;
          const answer = await send(path, fields);
          const isTooLarge = path.includes('/debug/') && JSON.stringify(fields).length > 32 * 1024;
          assert.equal(
            answer.status,
            isTooLarge ? 413 : 400,
            `${path} ${JSON.stringify(fields).slice(0, 80)}`,
          );
          assertError(answer, path);
        }
      assert.deepEqual(await storedRows(world), before);
    });

    it('is rejected with invalid times; times in the future are ignored', async () => {
      const fields = ['installBeginTimestampSeconds', 'installBeginTimestampServerSeconds'];
      for (const path of SDK_PATHS.filter((one) => !one.endsWith('open')))
        for (const name of fields)
          for (const time of [-1, 1.5, 1e300, 2 ** 53, '1', [], '2026-01-01T00:00:00Z', true]) {
            const answer = await send(path, { clickId, [name]: time });
            assert.equal(answer.status, 400, `${path} ${name} ${time}`);
            assertError(answer, path);
          }
      assert.equal(await isClaimed(), false);
      const nowSeconds = world.clock.nowMs() / SECOND_MS;
      for (const time of [nowSeconds + 3_600, nowSeconds * 1_000, 2 ** 53 - 1].map(Math.floor)) {
        const id = await world.clickId(shortCode, { from: freshAddress() });
        const times = Object.fromEntries(fields.map((name) => [name, time]));
        assert.equal((await send('/v1/sdk/install', { clickId: id, ...times })).body.method, 'CLICK_ID');
      }
    });

    it('is found as the last click ID of a referrer in any known encoding', async () => {
      for (const installReferrer of validReferrers(clickId)) {
        const { body } = await send('/v1/debug/attribution', { installReferrer });
        assert.deepEqual([body.method, body.clickId], ['INSTALL_REFERRER', clickId], installReferrer);
      }
    });

    it('is found by a click ID with white space around it', async () => {
      const { body } = await send('/v1/debug/attribution', { clickId: ` ${clickId}\n` });
      assert.deepEqual([body.method, body.clickId], ['CLICK_ID', clickId]);
    });

    it('is reported as malformed, and no part of the invalid name is stored', async () => {
      const name = 'bob@example.com';
      for (const fields of [{ clickId: name }, { installReferrer: `svc_click_id=${name}` }]) {
        const { installId } = (await send('/v1/sdk/install', fields)).body;
        const { body, text } = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
        const method = 'clickId' in fields ? 'CLICK_ID' : 'INSTALL_REFERRER';
        assert.deepEqual(body.explanation.rejections, [{ method, clickId: null, reason: 'malformed' }]);
        assert.ok(!text.includes('bob'));
        assert.ok(!JSON.stringify(await storedRows(world)).includes(name));
      }
    });

    it('is not looked up by the referrer or the times of an open, which are ignored', async () => {
      const installReferrer = `svc_click_id=${clickId}`;
      for (const given of [7, {}, [installReferrer], true, installReferrer]) {
        const { status, body } = await send('/v1/sdk/open', { installReferrer: given });
        assert.deepEqual([status, body.method], [200, 'ORGANIC'], JSON.stringify(given));
      }
      const id = await world.clickId(shortCode, { from: freshAddress() });
      const times = { installBeginTimestampSeconds: 1, installBeginTimestampServerSeconds: 'x' };
      assert.equal((await send('/v1/sdk/open', { clickId: id, ...times })).body.method, 'CLICK_ID');
    });

    it('can still be claimed by its own install, with a long or an encoded referrer', async () => {
      const asked = await send('/v1/debug/attribution', {
        installReferrer: once(`utm_source=x&svc_click_id=${clickId}`),
      });
      assert.deepEqual([asked.body.method, asked.body.clickId], ['INSTALL_REFERRER', clickId]);
      const long = `${'utm_x=%20&'.repeat(1_600)}svc_click_id=${clickId.toUpperCase()}`;
      const made = await send('/v1/sdk/install', { installReferrer: long });
      assert.deepEqual([made.body.method, made.body.clickId], ['INSTALL_REFERRER', clickId]);
      assert.equal((await send('/v1/sdk/open', { clickId })).body.method, 'CLICK_ID');
    });
  });
