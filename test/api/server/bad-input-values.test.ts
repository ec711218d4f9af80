/** Unusual values of the right type are accepted unchanged or rejected, never in part. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError, leavesNothing, storedRows } from '../../helpers/refusal.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const ADDRESSES = `
  unknown | 1.2.3 | 999.1.1.1 | 0x7f.1 | 1 | 1.2.3.4:80 | [2001:db8::1]:80 | ::ffff:1.2.3.4 | fe80::1%eth0 | fe80::1% |
  % | :: | [::1 | 1.2.3.4, 5.6.7.8 | 1.2.3.4/8 | ::1/64 | é
`
  .trim()
  .split(/\s+\|\s+/)
  .concat('', ' 1.2.3.4 ', '1.2.3.4\n');
const REFERRERS = `
  % | %zz | &&&=== | = | %25%3d | svc_click_id | svc_click_id=%00 | svc_click_id=%ED%A0%80 | svc_click_id=%zz |
  svc_click_id=a&svc_click_id=b | svc_click_id%3d%2500 | __proto__=1
`
  .trim()
  .split(/\s+\|\s+/)
  .concat(`svc_click_id=${'x'.repeat(4_000)}`);
const LINKS = `
  http://links.test/l/%zz | http://links.test/l/.. | http://links.test/l/a%2Fb | http://links.test/l/%00 | :: |
  http://links.test:99999/l/x | http://[::1 | javascript:alert(1) | links.test/l/abc | /l/abc
`
  .trim()
  .split(/\s+\|\s+/)
  .concat('', `http://links.test/l/${'x'.repeat(2_000)}`);

for (const engine of engines)
  describe(`an unusual value on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });
    const send = (path: string, body: unknown, from = freshAddress()) =>
      world.call('POST', path, { key: app.keys.live, body, from });

    it('as an address, a referrer or a click ID is accepted or rejected, and no NUL is stored', async () => {
      const fingerprint = { platform: 'ANDROID' };
      const bodies = [
        ...ADDRESSES.map((ipAddress) => ({ fingerprint: { ...fingerprint, ipAddress } })),
        ...REFERRERS.map((installReferrer) => ({ fingerprint, installReferrer })),
        ...['', ' ', '%', 'null', '{}', 'x'.repeat(255)].map((clickId) => ({ fingerprint, clickId })),
        { fingerprint: { ...fingerprint, userAgent: `${'x'.repeat(1_023)}😀` } },
        { fingerprint: { ...fingerprint, locale: '\u202e😀', deviceModel: 'İ', timezone: '\u007f\u0080' } },
        {
          fingerprint: { ...fingerprint, osVersion: '9'.repeat(255), screenWidth: 0, screenHeight: 100_000 },
        },
      ];
      for (const path of ['/v1/sdk/install', '/v1/sdk/open'])
        for (const body of bodies) {
          const answer = await send(path, body);
          if (answer.status === 200) continue;
          assert.equal(answer.status, 400, `${JSON.stringify(body).slice(0, 100)}: ${answer.text}`);
          assertError(answer, JSON.stringify(body));
        }
      const rows = Object.values(await storedRows(world)).flat();
      assert.deepEqual(
        rows.filter((row) => /\\u0000|\\ud[89a-f]/i.test(row)),
        [],
      );
    });

    it('as the URL of a link to resolve is rejected', () =>
      leavesNothing(world, async (refusals) => {
        for (const url of LINKS) refusals.check(await send('/v1/sdk/resolve', { url }), [400, 404], url);
      }));

    it('as a number in a stored object is returned unchanged or rejected', async () => {
      for (const number of ['-0', '1e308', '5e-324', '9007199254740993', '0.1', '1e400', '-1e400']) {
        const rawBody = `{"deepLinkPath":"/","metadata":{"a":${number}}}`;
        const answer = await world.call('POST', '/v1/links', { key: app.keys.live, rawBody });
        if (answer.status === 400) assertError(answer, number);
        else assert.equal(answer.body.metadata.a, Number(number) + 0, number);
      }
    });

    it('as an Idempotency-Key is rejected, and a rejected request does not consume its key', async () => {
      const post = (key: string, body: unknown) =>
        world.call('POST', '/v1/links', { key: app.keys.live, body, headers: { 'idempotency-key': key } });
      await leavesNothing(world, async (refusals) => {
        for (const key of ['', 'x'.repeat(256), 'x'.repeat(10_000)])
          refusals.check(await post(key, { deepLinkPath: '/' }), 400, key.slice(0, 20), 'Idempotency-Key');
        for (const body of [
          {},
          { deepLinkPath: '/', shortCode: 'x' },
          { deepLinkPath: '/', fallbackUrl: 'x' },
        ])
          refusals.check(await post('again', body), 400, JSON.stringify(body));
      });
      assert.equal((await post('again', { deepLinkPath: '/' })).status, 201);
    });
  });
