/**
 * Resources, Link: the bounds of each field. The bound is accepted; one beyond it gets 400, on creation and by PATCH.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

/** An object whose JSON text has `bytes` bytes. */
function objectOf(bytes: number, character = 'x'): Record<string, string> {
  const left = bytes - Buffer.byteLength('{"a":""}');
  const width = Buffer.byteLength(character);
  return { a: character.repeat(Math.floor(left / width)) + 'x'.repeat(left % width) };
}

/** A URL of the given length. */
function addressOf(characters: number, start = 'https://example.com/'): string {
  return start + 'a'.repeat(characters - start.length);
}

interface Bound {
  readonly rule: string;
  readonly field: string;
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const KIB_16 = 16 * 1_024;
const text = (length: number) => 'a'.repeat(length);

const BOUNDS: readonly Bound[] = [
  {
    rule: 'deepLinkPath, 1 to 2,048 characters',
    field: 'deepLinkPath',
    accepted: ['/', text(2_048), '😀'.repeat(2_048)],
    refused: ['', text(2_049)],
  },
  ...['deepLinkParams', 'metadata'].map((field) => ({
    rule: `${field}, at most 16 KiB as JSON`,
    field,
    accepted: [{}, objectOf(KIB_16), objectOf(KIB_16, 'é')],
    refused: [objectOf(KIB_16 + 1), objectOf(KIB_16 + 1, 'é')],
  })),
  {
    rule: 'campaignId, 1 to 255 characters',
    field: 'campaignId',
    accepted: ['a', text(255), '😀'.repeat(255)],
    refused: ['', text(256)],
  },
  ...['iosDestination', 'androidDestination'].map((field) => ({
    rule: `${field}, at most 2,048 characters, http(s), market: or itms-apps:`,
    field,
    accepted: [
      addressOf(2_048),
      'http://example.com',
      'market://details?id=com.example',
      'itms-apps://apps.apple.com/app/id1',
    ],
    refused: [
      addressOf(2_049),
      '',
      '/relative',
      'example.com',
      'javascript:alert(1)',
      'ftp://example.com',
      'http://',
    ],
  })),
  ...['fallbackUrl', 'ogImage'].map((field) => ({
    rule: `${field}, at most 2,048 characters, http(s) only`,
    field,
    accepted: [addressOf(2_048), 'http://example.com'],
    refused: [
      addressOf(2_049),
      '',
      '/relative',
      'javascript:alert(1)',
      'data:text/html,x',
      'market://details?id=com.example',
      'itms-apps://apps.apple.com/app/id1',
    ],
  })),
  {
    rule: 'ogTitle, 1 to 255 characters',
    field: 'ogTitle',
    accepted: ['a', text(255), '😀'.repeat(255)],
    refused: ['', text(256)],
  },
  {
    rule: 'ogDescription, 1 to 1,000 characters',
    field: 'ogDescription',
    accepted: ['a', text(1_000), '😀'.repeat(1_000)],
    refused: ['', text(1_001)],
  },
  {
    rule: 'landingPage, auto, always or never',
    field: 'landingPage',
    accepted: ['auto', 'always', 'never'],
    refused: ['', 'Auto', 'sometimes'],
  },
  {
    rule: 'expiresInDays, 1 to 3,650',
    field: 'expiresInDays',
    accepted: [1, 3_650],
    refused: [0, -1, 3_651, 1e300],
  },
];

for (const engine of engines)
  describe(`resources, bounds of Link fields, on ${engine}`, () => {
    const world = useWorld(engine);

    for (const { rule, field, accepted, refused } of BOUNDS) {
      const shown = (value: unknown) => JSON.stringify(value).slice(0, 40);

      it(`Link field bound on creation: ${rule}`, async () => {
        const key = (await world.newApp()).keys.live;
        const create = (value: unknown) =>
          world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/welcome', [field]: value } });
        for (const value of accepted) {
          const { status, body } = await create(value);
          assert.equal(status, 201, shown(value));
          if (field !== 'expiresInDays') assert.deepEqual(body[field], value);
        }
        for (const value of refused) assertError(await create(value), 400, 'request.invalid', field);
      });

      it(`Link field bound by PATCH: ${rule}`, async () => {
        const app = await world.newApp();
        const path = `/v1/links/${(await world.newLink(app)).shortCode}`;
        const patch = (value: unknown) =>
          world.call('PATCH', path, { key: app.keys.live, body: { [field]: value } });
        for (const value of accepted) assert.equal((await patch(value)).status, 200, shown(value));
        const before = (await world.call('GET', path, { key: app.keys.live })).body;
        for (const value of refused) assertError(await patch(value), 400, 'request.invalid', field);
        assert.deepEqual((await world.call('GET', path, { key: app.keys.live })).body, before);
      });
    }

    it('Link field bound on creation: shortCode, 3 to 64 of A-Z a-z 0-9 - _', async () => {
      const app = await world.newApp();
      const create = (shortCode: unknown) =>
        world.call('POST', '/v1/links', { key: app.keys.live, body: { deepLinkPath: '/', shortCode } });
      for (const code of ['a-1', text(64), 'AZaz09-_'])
        assert.deepEqual((await create(code)).body.shortCode, code);
      for (const code of ['ab', text(65), '', 'a b', 'añb', 'a/b', 'a.b', 'abc\n', 7, {}])
        assertError(await create(code), 400, 'request.invalid', 'shortCode');
    });
  });
