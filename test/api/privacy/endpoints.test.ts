/** Endpoints, Privacy; states and transitions of an erasure request. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { erase, newPerson, rowsOf } from '../../helpers/privacy-scene.ts';
import { assertError, assertField, RECORD_NOT_FOUND } from '../../helpers/shapes.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`endpoints, privacy, on ${engine}`, () => {
    const world = useWorld(engine);
    const post = (app: TestApp, path: 'erase' | 'export', body: unknown, key = app.keys.live) =>
      world.call('POST', `/v1/privacy/${path}`, { key, body });
    const read = (app: TestApp, id: string) =>
      world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });

    it('Erasure request (none) → pending: 202 with requestIds, status and message', async () => {
      const { status, body } = await post(await world.newApp(), 'erase', { userId: 'u1' });
      assert.equal(status, 202);
      assert.deepEqual(Object.keys(body).sort(), ['message', 'requestIds', 'status']);
      assert.deepEqual([body.status, typeof body.message], ['pending', 'string']);
      assert.equal(body.requestIds.length, 1);
      for (const id of body.requestIds) assertField({ id }, ['id', 'uuid']);
    });

    it('Erasure request pending → completed within 15 minutes: matching records are scrubbed', async () => {
      assert.equal((world.service.config as { erasureIntervalSeconds?: number }).erasureIntervalSeconds, 900);
      const app = await world.newApp();
      const { ipAddress, userId } = await newPerson(world, app);
      const { body } = await post(app, 'erase', { ipAddress, userId });
      for (const id of body.requestIds) {
        const request = await waitFor('completed', async () => {
          const answer = await read(app, id);
          assert.deepEqual(Object.keys(answer.body).sort(), ['completedAt', 'id', 'requestedAt', 'status']);
          assert.match(answer.body.status, /^(pending|completed)$/);
          return answer.body.status === 'completed' ? answer.body : undefined;
        });
        assert.equal(request.id, id);
        assertField(request, ['completedAt', 'timestamp']);
        const tookMs = Date.parse(request.completedAt) - Date.parse(request.requestedAt);
        assert.ok(tookMs >= 0 && tookMs <= 15 * 60_000);
      }
      const [install] = await rowsOf(world, app, 'installs');
      assert.equal(install?.ip_hash, null);
    });

    it('requestIds: one for each identifier in the request', async () => {
      const app = await world.newApp();
      const both = await post(app, 'erase', { userId: 'u1', ipAddress: freshAddress() });
      assert.equal(new Set(both.body.requestIds).size, 2);
      const one = await post(app, 'erase', { ipAddress: freshAddress() });
      assert.equal(one.body.requestIds.length, 1);
    });

    for (const path of ['erase', 'export'] as const) {
      it(`POST /v1/privacy/${path}: at least one of ipAddress and userId is required`, async () => {
        const app = await world.newApp();
        for (const body of [{}, { ipAddress: null, userId: null }])
          assertError(await post(app, path, body), 400, 'request.invalid', /ipAddress|userId/);
        for (const body of [{ userId: 'u1' }, { ipAddress: freshAddress() }])
          assert.ok([200, 202].includes((await post(app, path, body)).status));
      });

      it(`POST /v1/privacy/${path} field: ipAddress, string`, async () => {
        const app = await world.newApp();
        for (const ipAddress of ['203.0.113.9', '2001:db8::1', '::ffff:203.0.113.9'])
          assert.ok([200, 202].includes((await post(app, path, { ipAddress })).status));
        for (const ipAddress of ['300.1.2.3', 'localhost', '', 7])
          assertError(await post(app, path, { ipAddress }), 400, 'request.invalid', 'ipAddress');
      });

      it(`POST /v1/privacy/${path} field: userId, string of 1 to 255 characters`, async () => {
        const app = await world.newApp();
        for (const userId of ['u', 'u'.repeat(255)])
          assert.ok([200, 202].includes((await post(app, path, { userId })).status));
        for (const userId of ['', 'u'.repeat(256), 7])
          assertError(await post(app, path, { userId }), 400, 'request.invalid', 'userId');
      });
    }

    it('POST /v1/privacy/erase field: requesterEmail, string of at most 255 characters, optional, in the audit log', async () => {
      const app = await world.newApp();
      const requesterEmail = 'jane@example.com';
      assert.equal((await post(app, 'erase', { userId: 'u1', requesterEmail })).status, 202);
      const long = `${'a'.repeat(250)}@b.com`;
      assertError(
        await post(app, 'erase', { userId: 'u1', requesterEmail: long }),
        400,
        'request.invalid',
        'requesterEmail',
      );
      const log = await world.call('GET', '/v1/audit-log', { key: app.keys.live });
      assert.ok(log.text.includes(requesterEmail));
    });

    it('POST /v1/privacy/erase: an unknown field is refused, so that a misspelt one erases nobody', async () => {
      const answer = await post(await world.newApp(), 'erase', { userId: 'ada', dryrun: true });
      assertError(answer, 400, 'request.invalid', /^dryrun is not a field/);
    });

    it('GET /v1/privacy/erase/{requestId}: an unknown request, or another app’s, gets 404', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { body } = await post(other, 'erase', { userId: 'u1' });
      for (const id of [NO_ID, 'no-uuid', body.requestIds[0]])
        assertError(await read(app, id), 404, RECORD_NOT_FOUND);
    });

    it('POST /v1/privacy/export returns 200; with both identifiers, it contains the records of either', async () => {
      const app = await world.newApp();
      const known = await newPerson(world, app);
      await newPerson(world, app);
      const ipAddress = freshAddress();
      const { installId } = (await world.install(app, {}, { from: ipAddress })).body;
      const installsOf = async (body: object) => {
        const answer = await post(app, 'export', body);
        assert.equal(answer.status, 200, answer.text);
        return answer.body.installs.map(({ id }: { id: string }) => id).sort();
      };
      assert.deepEqual(await installsOf({ userId: known.userId }), [known.installId]);
      assert.deepEqual(await installsOf({ ipAddress }), [installId]);
      const both = [known.installId, installId].sort();
      assert.deepEqual(await installsOf({ ipAddress, userId: known.userId }), both);
    });

    it('another app’s records are neither exported nor erased', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { ipAddress, userId } = await newPerson(world, other);
      const before = await rowsOf(world, other, 'installs');
      const { body } = await post(app, 'export', { ipAddress, userId });
      assert.deepEqual(body, { clicks: [], installs: [], events: [], openEvents: [] });
      await erase(world, app, { ipAddress, userId });
      assert.deepEqual(await rowsOf(world, other, 'installs'), before);
    });

    it('privacy requests of a test key cover sandbox records only', async () => {
      const app = await world.newApp();
      const { ipAddress, userId } = await newPerson(world, app);
      const { status, body } = await post(app, 'export', { ipAddress, userId }, app.keys.test);
      assert.deepEqual([status, body], [200, { clicks: [], installs: [], events: [], openEvents: [] }]);
    });
  });
