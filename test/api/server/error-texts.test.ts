/** Error messages name the violated rule and the next step. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { DESKTOP, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`an error’s text on ${engine}`, () => {
    const world = useWorld(engine);

    it('names the format that a field violates', async () => {
      const { id, keys } = await world.newApp();
      const link = await world.call('POST', '/v1/links', {
        key: keys.live,
        body: { deepLinkPath: '/', shortCode: 'a b' },
      });
      assert.equal(link.status, 400);
      assert.match(link.body.error, /^shortCode must be 3 to 64 of A-Z a-z 0-9 - _/);
      const from = '2026-12-31T23:59:59Z';
      for (const [fields, text] of [
        [
          { path: 'a b' },
          /^path must be up to 5 segments of A-Z a-z 0-9 \. _ ~ -, as summer\/sale: the address at/,
        ],
        [
          { rules: [{ when: { from, to: from }, then: { campaignId: 'c' } }] },
          /^rules\.0\.when\.to must be later/,
        ],
        [{ rules: [{ when: {}, then: { fallbackUrl: 'x' } }] }, /^rules\.0\.then\.fallbackUrl must be/],
        [{ rules: [{ when: { country: '' }, then: {} }] }, /^rules\.0\.when\.country/],
      ] as const) {
        const body = { deepLinkPath: '/', ...fields };
        const answer = await world.call('POST', '/v1/links', { key: keys.live, body });
        assert.equal(answer.status, 400);
        assert.match(answer.body.error, text);
      }
      for (const [field, value, text] of [
        ['iosBundleId', 'a b', 'iosBundleId must be 1 to 255 of A-Z a-z 0-9 . -.'],
        ['iosTeamId', '-', 'iosTeamId must be 1 to 32 of A-Z a-z 0-9.'],
        ['iosAppStoreId', 'id12', 'iosAppStoreId must be 1 to 20 digits, the first of them not 0.'],
        ['androidPackage', 'a-b', 'androidPackage must be 1 to 255 of A-Z a-z 0-9 . _.'],
        [
          'shortLinkHost',
          'https://go.example.com',
          'shortLinkHost must be a host name such as go.example.com, without https:// and without a path.',
        ],
        ['urlScheme', '1shop', 'urlScheme must be a letter, then up to 63 of A-Z a-z 0-9 + . -.'],
        [
          'androidCertFingerprints',
          ['AA:BB'],
          'androidCertFingerprints.0 must be a SHA-256 fingerprint: 32 pairs of 0-9 A-F with colons between, as AA:BB:….',
        ],
      ] as const) {
        const { status, body } = await world.admin('PATCH', `/apps/${id}`, { [field]: value });
        assert.deepEqual([status, body.error], [400, text]);
      }
    });

    it('for an invalid escape in a path does not call the request invalid HTTP', async () => {
      const { keys } = await world.newApp();
      for (const path of ['/v1/links/%zz', '/v1/%', '/v1/links/100%']) {
        const { status, headers, body } = await world.call('GET', path, { key: keys.live });
        assert.deepEqual([status, headers['x-service-error']], [400, 'request.malformed']);
        assert.match(body.error, /%25/);
        assert.doesNotMatch(body.error, /HTTP/);
      }
    });

    it('for a batch item that is not an object demands an object', async () => {
      const { keys } = await world.newApp();
      const events = [7, null, 'x', []];
      const { status, body } = await world.call('POST', '/v1/sdk/events', {
        key: keys.live,
        body: { events },
      });
      assert.equal(status, 200);
      assert.deepEqual(
        body.results,
        events.map(() => ({
          ...{ status: 400, error: 'The event must be an object.' },
          code: 'request.invalid',
        })),
      );
    });

    it('for a key with a missing or additional character advises to copy it again', async () => {
      const { keys } = await world.newApp();
      for (const key of Object.values(keys))
        for (const wrong of [
          key.slice(0, -1),
          key.slice(0, -20),
          `${key}x`,
          `${key.slice(0, 20)}x${key.slice(20)}`,
        ]) {
          const answer = await world.call('POST', '/v1/sdk/resolve', {
            key: wrong,
            body: { shortCode: 'abc' },
          });
          assert.equal(answer.status, 401);
          assert.equal(answer.headers['x-service-error'], 'key.mistyped');
          assert.match(answer.body.error, /length or checksum.*Copy it again, whole\.$/);
        }
    });

    it('for a link without a destination does not advise another device', async () => {
      const app = await world.newApp();
      const none = await world.newLink(app);
      const android = await world.newLink(app, { androidDestination: 'https://play.google.com/x' });
      for (const { text, status } of [
        await world.tap(none.shortCode),
        await world.tap(none.shortCode, { userAgent: DESKTOP }),
        await world.tap(android.shortCode),
      ]) {
        assert.equal(status, 200);
        assert.match(text, /leads into a mobile app/);
        assert.doesNotMatch(text, /your phone/);
      }
      const { text } = await world.tap(android.shortCode);
      assert.match(text, /<a href="https:\/\/play\.google\.com\/x"/);
    });
  });
