/** Resources, Link: the fields returned. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { FULL_LINK, LINK_FIELDS } from '../../helpers/link-fields.ts';
import { once } from '../../helpers/once.ts';
import { assertField, assertUuidV7, type FieldRow } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

const ROWS: readonly FieldRow[] = [
  ['id', 'uuid'],
  ['shortCode', 'string'],
  ['shortUrl', 'string'],
  ['deepLinkPath', 'string'],
  ['deepLinkParams', 'object'],
  ['campaignId', 'string or null'],
  ['iosDestination', 'string or null'],
  ['androidDestination', 'string or null'],
  ['fallbackUrl', 'string or null'],
  ['ogTitle', 'string or null'],
  ['ogDescription', 'string or null'],
  ['ogImage', 'string or null'],
  ['landingPage', 'string or null'],
  ['metadata', 'object'],
  ['sandbox', 'boolean'],
  ['expiresAt', 'timestamp or null'],
  ['title', 'string or null'],
  ['tags', 'string[]'],
  ['path', 'string or null'],
  ['passPath', 'boolean'],
  ['rules', 'list'],
  ['passQuery', 'string[]'],
  ['expiredUrl', 'string or null'],
  ['goneWhenExpired', 'boolean'],
  ['minAppVersion', 'object or null'],
  ['importedClicks', 'int or null'],
  ['createdAt', 'timestamp'],
  ['updatedAt', 'timestamp'],
];

/** Imported links alone have clicks of before, and apps with a host of their own paths. */
const NEVER_GIVEN = new Set(['importedClicks', 'path']);

for (const engine of engines)
  describe(`resources, Link fields returned, on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });
    const links = once(async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const full = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      const bare = await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/welcome' } });
      return { app, full: full.body, bare: bare.body };
    });

    for (const row of ROWS)
      it(`Link field returned: ${row.join(', ')}`, async () => {
        const { full, bare } = await links();
        const [name, type] = row;
        assertField(bare, row);
        if (!NEVER_GIVEN.has(name)) assertField(full, [name, type.replace(' or null', '') as FieldRow[1]]);
      });

    it('a link has exactly these fields', async () => {
      const { full, bare } = await links();
      const names = ROWS.map(([name]) => name);
      assert.deepEqual(Object.keys(full), names);
      assert.deepEqual(Object.keys(bare), names);
    });

    it('unset scalars are null, unset objects are {}', async () => {
      const { bare } = await links();
      for (const { name, unset } of LINK_FIELDS) {
        if (unset !== undefined && name !== 'expiresInDays') assert.deepEqual(bare[name], unset, name);
      }
      assert.equal(bare.expiresAt, null);
    });

    it('id is a UUIDv7', async () => {
      assertUuidV7((await links()).full.id);
    });

    it('shortUrl is {short_link_host}/l/<shortCode>', async () => {
      const { full } = await links();
      assert.equal(full.shortUrl, `https://go.test/l/${full.shortCode}`);
    });

    it('shortCode is unique and made of 8 unambiguous characters', async () => {
      const app = await world.newApp();
      const codes = [];
      for (let made = 0; made < 40; made++) codes.push((await world.newLink(app)).shortCode);
      assert.equal(new Set(codes).size, codes.length);
      for (const code of codes) assert.match(code, /^[A-HJ-NP-Za-km-np-z2-9]{8}$/);
    });

    it('createdAt and updatedAt are the time of the call; a change updates updatedAt only', async () => {
      const app = await world.newApp();
      const key = app.keys.live;
      const startMs = world.clock.nowMs();
      const link = (await world.call('POST', '/v1/links', { key, body: FULL_LINK })).body;
      assert.equal(link.createdAt, link.updatedAt);
      assert.ok(Date.parse(link.createdAt) >= startMs && Date.parse(link.createdAt) <= world.clock.nowMs());
      world.clock.advance(60_000);
      const path = `/v1/links/${link.shortCode}`;
      const patched = (await world.call('PATCH', path, { key, body: { campaignId: 'new' } })).body;
      assert.equal(patched.createdAt, link.createdAt);
      assert.ok(Date.parse(patched.updatedAt) >= Date.parse(link.updatedAt) + 60_000);
    });

    it('items in the list response are full links', async () => {
      const { app, full, bare } = await links();
      const { body } = await world.call('GET', '/v1/links', { key: app.keys.live });
      assert.deepEqual(body, [bare, full]);
    });
  });
