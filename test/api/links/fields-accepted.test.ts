/** Resources, Link: the fields accepted on creation and by PATCH. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { FULL_LINK, LINK_FIELDS, returned } from '../../helpers/link-fields.ts';
import { assertError, WRONG_VALUES } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`resources, Link fields accepted, on ${engine}`, () => {
    const world = useWorld(engine);

    for (const field of LINK_FIELDS) {
      const { name, type, value, other, required = false, unset } = field;
      const requirement = required ? 'required' : 'optional';

      it(`Link field accepted: ${name}, ${type}, ${requirement}`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const path = { deepLinkPath: '/welcome' };

        const given = await world.call('POST', '/v1/links', { key, body: { ...path, [name]: value } });
        assert.equal(given.status, 201, given.text);
        const [asName, asValue] = returned(field, value, given.body.createdAt);
        assert.deepEqual(given.body[asName], asValue);
        const read = await world.call('GET', `/v1/links/${given.body.shortCode}`, { key });
        assert.deepEqual(read.body, given.body);

        const leftOut = await world.call('POST', '/v1/links', { key, body: required ? {} : path });
        if (required) assertError(leftOut, 400, 'request.invalid', name);
        else assert.deepEqual([leftOut.status, leftOut.body[asName]], [201, unset]);

        for (const wrong of WRONG_VALUES[type]) {
          const refused = await world.call('POST', '/v1/links', { key, body: { ...path, [name]: wrong } });
          assertError(refused, 400, 'request.invalid', name);
        }
        const list = await world.call('GET', '/v1/links', { key });
        assert.equal(list.body.length, required ? 1 : 2);
      });

      it(`PATCH accepts ${name}, optional; only included fields change`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const created = (await world.call('POST', '/v1/links', { key, body: FULL_LINK })).body;
        const path = `/v1/links/${created.shortCode}`;
        world.clock.advance(1_000);

        const patched = await world.call('PATCH', path, { key, body: { [name]: other } });
        assert.equal(patched.status, 200, patched.text);
        const { updatedAt } = patched.body;
        assert.ok(updatedAt > created.updatedAt);
        const [asName, asValue] = returned(field, other, updatedAt);
        assert.deepEqual(patched.body, { ...created, updatedAt, [asName]: asValue });

        for (const wrong of WRONG_VALUES[type])
          assertError(
            await world.call('PATCH', path, { key, body: { [name]: wrong } }),
            400,
            undefined,
            name,
          );
        assert.deepEqual((await world.call('GET', path, { key })).body, patched.body);
      });

      it(`PATCH ${name}: null ${required ? 'is rejected' : 'clears it'}`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const created = (await world.call('POST', '/v1/links', { key, body: FULL_LINK })).body;
        const path = `/v1/links/${created.shortCode}`;

        const patched = await world.call('PATCH', path, { key, body: { [name]: null } });
        const read = (await world.call('GET', path, { key })).body;
        if (required) {
          assertError(patched, 400, 'request.invalid', name);
          assert.deepEqual(read, created);
          return;
        }
        const { updatedAt } = patched.body;
        const [asName] = returned(field, null, updatedAt);
        assert.deepEqual([patched.status, patched.body], [200, { ...created, updatedAt, [asName]: unset }]);
        assert.deepEqual(read, patched.body);
      });
    }

    it('unknown fields are ignored, on creation and by PATCH', async () => {
      const { keys } = await world.newApp();
      const key = keys.live;
      const unknown = { id: 'mine', createdAt: 'now', shortUrl: 'x', unheardOf: { a: 1 } };
      const body = { deepLinkPath: '/welcome', ...unknown };
      const created = await world.call('POST', '/v1/links', { key, body });
      assert.equal(created.status, 201, created.text);
      assert.ok(!('unheardOf' in created.body));
      assert.notEqual(created.body.id, 'mine');
      const path = `/v1/links/${created.body.shortCode}`;
      const patched = await world.call('PATCH', path, { key, body: unknown });
      assert.equal(patched.status, 200, patched.text);
      assert.deepEqual(patched.body, { ...created.body, updatedAt: patched.body.updatedAt });
    });

    for (const shortCode of ['other-code', null, 7])
      it(`shortCode cannot be changed: PATCH with ${JSON.stringify(shortCode)} gets 400`, async () => {
        const app = await world.newApp();
        const link = await world.newLink(app);
        const path = `/v1/links/${link.shortCode}`;
        const call = { key: app.keys.live, body: { campaignId: 'spring', shortCode } };
        assertError(await world.call('PATCH', path, call), 400, 'request.invalid', 'shortCode');
        assert.deepEqual((await world.call('GET', path, { key: app.keys.live })).body, link);
      });

    for (const [kind, fields] of [
      ['full', FULL_LINK],
      ['bare', { deepLinkPath: '/welcome' }],
    ] as const)
      it(`a ${kind} link that was read can be changed and written back, with its totals; its expiry stays`, async () => {
        const { keys } = await world.newApp();
        const key = keys.live;
        const { shortCode } = (await world.call('POST', '/v1/links', { key, body: fields })).body;
        const path = `/v1/links/${shortCode}`;
        const { body: read } = await world.call('GET', `${path}?include=totals`, { key });
        assert.equal(read.clicksTotal, 0);
        world.clock.advance(1_000);
        const written = await world.call('PATCH', path, { key, body: { ...read, campaignId: 'changed' } });
        assert.equal(written.status, 200, written.text);
        const { clicksTotal: _clicks, installsTotal: _installs, ...link } = read;
        const { updatedAt } = written.body;
        assert.ok(updatedAt > read.updatedAt);
        assert.deepEqual(written.body, { ...link, campaignId: 'changed', updatedAt });
      });

    const TIMES = {
      '2099-01-01T00:00:00.000Z': '2099-01-01T00:00:00.000Z',
      '2027-03-01T12:00:00+02:00': '2027-03-01T10:00:00.000Z',
      '2020-01-01T00:00:00Z': '2020-01-01T00:00:00.000Z',
    };
    const NO_TIMES = [
      '2026-02-30T10:00:00Z',
      'soon',
      '',
      '2027-03-01',
      '2027-03-01T12:00:00',
      '2027-13-01T00:00:00Z',
      7,
      {},
      true,
    ];

    it('expiresAt sets the end at creation and by PATCH, and null removes it', async () => {
      const key = (await world.newApp()).keys.live;
      for (const [expiresAt, stored] of Object.entries(TIMES)) {
        const created = await world.call('POST', '/v1/links', {
          key,
          body: { deepLinkPath: '/', expiresAt },
        });
        assert.deepEqual([created.status, created.body.expiresAt], [201, stored], created.text);
        const path = `/v1/links/${created.body.shortCode}`;
        assert.equal(
          (await world.call('PATCH', path, { key, body: { expiresAt: null } })).body.expiresAt,
          null,
        );
        const patched = await world.call('PATCH', path, { key, body: { expiresAt } });
        assert.deepEqual([patched.status, patched.body.expiresAt], [200, stored], patched.text);
      }
    });

    it('expiresAt that is no time with a zone, from 1970 to 9999, is refused', async () => {
      const key = (await world.newApp()).keys.live;
      const { body: link } = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      const path = `/v1/links/${link.shortCode}`;
      for (const expiresAt of [...NO_TIMES, '1969-12-31T23:59:59Z', '+010000-01-01T00:00:00Z']) {
        const body = { expiresAt };
        assertError(await world.call('PATCH', path, { key, body }), 400, 'request.invalid', 'expiresAt');
        const creation = { deepLinkPath: '/', ...body };
        assertError(
          await world.call('POST', '/v1/links', { key, body: creation }),
          400,
          'request.invalid',
          'expiresAt',
        );
      }
      assert.deepEqual((await world.call('GET', path, { key })).body, link);
    });

    it('expiresAt and expiresInDays exclude each other, but the present time may be written back', async () => {
      const key = (await world.newApp()).keys.live;
      const { body: link } = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      const path = `/v1/links/${link.shortCode}`;
      const both = { expiresInDays: 3, expiresAt: '2099-01-01T00:00:00Z' };
      assertError(
        await world.call('PATCH', path, { key, body: both }),
        400,
        'request.invalid',
        'one of them',
      );
      const created = await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/', ...both } });
      assertError(created, 400, 'request.invalid', 'one of them');
      const expiresAt = link.expiresAt.replace('Z', '+00:00');
      assert.equal(
        (await world.call('PATCH', path, { key, body: { expiresAt } })).body.expiresAt,
        link.expiresAt,
      );
      const extended = await world.call('PATCH', path, { key, body: { expiresAt, expiresInDays: 400 } });
      assert.equal(extended.status, 200, extended.text);
      assert.notEqual(extended.body.expiresAt, link.expiresAt);
    });

    it('null beside expiresAt or expiresInDays counts as not given, and nulls alone remove the end', async () => {
      const key = (await world.newApp()).keys.live;
      const at = '2099-01-01T00:00:00.000Z';
      const { body: link } = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      const path = `/v1/links/${link.shortCode}`;
      for (const end of [
        { expiresAt: at, expiresInDays: null },
        { expiresAt: null, expiresInDays: 3 },
      ]) {
        const changed = await world.call('PATCH', path, { key, body: end });
        assert.equal(changed.status, 200, changed.text);
        const again = await world.call('PATCH', path, { key, body: end });
        const created = await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/', ...end } });
        assert.equal(created.status, 201, created.text);
        for (const { body } of [changed, again, created])
          if (end.expiresAt === null) assert.ok(body.expiresAt < at, body.expiresAt);
          else assert.equal(body.expiresAt, at);
      }
      const none = { expiresAt: null, expiresInDays: null };
      assert.equal((await world.call('PATCH', path, { key, body: none })).body.expiresAt, null);
      const created = await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/', ...none } });
      assert.equal(created.body.expiresAt, null);
    });

    const PATHS: Readonly<Record<string, readonly string[]>> = {
      '/shoes/42': [],
      'shop://shoes': [],
      httpsuite: [],
      '/go?to=https://shop.example.com': [],
      'black friday': ['path.has_space'],
      'https://shop.example.com/sale?x=1': ['path.is_url'],
      'HTTP://shop.example.com': ['path.is_url'],
      'https://shop.example.com/black friday': ['path.is_url', 'path.has_space'],
      '/tab\there': ['path.has_space'],
      '/no-break\u00a0space': ['path.has_space'],
    };
    for (const [deepLinkPath, codes] of Object.entries(PATHS))
      it(`the path ${JSON.stringify(deepLinkPath)} is accepted ${codes.length === 0 ? 'without a warning' : `with ${codes.join(' and ')}`}`, async () => {
        const key = (await world.newApp()).keys.live;
        const idempotent = { 'idempotency-key': 'once' };
        const create = () =>
          world.call('POST', '/v1/links', { key, body: { deepLinkPath }, headers: idempotent });
        const created = await create();
        assert.equal(created.status, 201, created.text);
        const path = `/v1/links/${created.body.shortCode}`;
        const patched = await world.call('PATCH', path, { key, body: { deepLinkPath } });
        for (const { body } of [created, await create(), patched]) {
          assert.equal(body.deepLinkPath, deepLinkPath);
          assert.deepEqual(
            (body.warnings ?? []).map((one: { code: string }) => one.code),
            codes,
          );
          assert.equal('warnings' in body, codes.length > 0);
        }
        const renamed = await world.call('PATCH', path, { key, body: { campaignId: 'x' } });
        const read = await world.call('GET', path, { key });
        assert.ok(!('warnings' in renamed.body) && !('warnings' in read.body));
        assert.equal((await world.call('PATCH', path, { key, body: created.body })).status, 200);
      });
  });
