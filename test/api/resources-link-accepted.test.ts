/** Resources, Link: the fields accepted on creation and by PATCH. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { FULL_LINK, LINK_FIELDS, returned } from '../helpers/link-fields.ts';
import { assertError, WRONG_VALUES } from '../helpers/shapes.ts';
import { useWorld } from '../helpers/world.ts';

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

    it('expiresAt cannot be set: PATCH with another time gets 400 that names expiresInDays', async () => {
      const key = (await world.newApp()).keys.live;
      const { body: link } = await world.call('POST', '/v1/links', { key, body: FULL_LINK });
      const path = `/v1/links/${link.shortCode}`;
      const patch = (expiresAt: unknown) => world.call('PATCH', path, { key, body: { expiresAt } });
      for (const other of ['2099-01-01T00:00:00.000Z', 'soon', '', null])
        assertError(await patch(other), 400, 'request.invalid', 'expiresInDays');
      assertError(await patch(7), 400, 'request.invalid', 'expiresAt');
      assert.deepEqual((await world.call('GET', path, { key })).body, link);
      const sameTime = link.expiresAt.replace('Z', '+00:00');
      assert.equal((await patch(sameTime)).body.expiresAt, link.expiresAt);
    });
  });
