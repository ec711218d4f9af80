/** Installs that were erased or deleted on purpose: their SDKs are told so, and nothing brings them back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { engines } from '../../helpers/engines.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import {
  type Answer,
  freshAddress,
  IPHONE_FINGERPRINT,
  type TestApp,
  useWorld,
} from '../../helpers/world.ts';

for (const engine of engines)
  describe(`a gone install on ${engine}`, () => {
    const world = useWorld(engine);
    const sdk = (app: TestApp, path: string, body: object, from = freshAddress()) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body, from });
    const codeOf = ({ status, headers }: Answer) => [status, headers['x-service-error']];
    const GONE = [404, 'install.erased'];
    const newInstall = async (app: TestApp, from = freshAddress()) => {
      const installId = randomUUID();
      assert.equal((await world.install(app, { installId }, { from })).status, 200);
      return installId;
    };
    async function erase(app: TestApp, body: object): Promise<void> {
      const key = app.keys.live;
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', { key, body })).body;
      for (const id of requestIds)
        await waitFor('the erasure', async () => {
          const { status } = (await world.call('GET', `/v1/privacy/erase/${id}`, { key })).body;
          return status === 'completed' || undefined;
        });
    }
    const WAYS = {
      erased: async (app: TestApp, installId: string) => {
        const userId = `user-${randomUUID()}`;
        assert.equal((await sdk(app, 'identify', { installId, userId })).status, 204);
        await erase(app, { userId });
      },
      deleted: async (app: TestApp, installId: string) => {
        const answer = await world.call('DELETE', `/v1/installs/${installId}`, { key: app.keys.live });
        assert.equal(answer.status, 204);
      },
    };
    const rows = async (app: TestApp, table: 'installs' | 'opens' | 'events') =>
      await world.service.db.selectFrom(table).selectAll().where('app_id', '=', app.id).execute();

    for (const [way, remove] of Object.entries(WAYS))
      it(`that was ${way} is refused as such by every call of an SDK, alone and in a batch, and stores nothing`, async () => {
        const app = await world.newApp();
        const link = await world.newLink(app);
        const installId = await newInstall(app);
        await remove(app, installId);
        const before = await Promise.all((['installs', 'opens', 'events'] as const).map((t) => rows(app, t)));

        const fingerprint = IPHONE_FINGERPRINT;
        const id = installId.toUpperCase();
        const calls = {
          install: { installId: id, fingerprint },
          event: { installId: id, eventName: 'e', userId: 'ada', eventId: randomUUID() },
          identify: { installId: id, userId: 'ada' },
          open: { installId: id, openId: randomUUID(), fingerprint },
          resolve: { installId: id, openId: randomUUID(), fingerprint, shortCode: link.shortCode },
        };
        for (const [path, body] of Object.entries(calls))
          assert.deepEqual(codeOf(await sdk(app, path, body)), GONE, path);
        const session = { installId, eventName: 'session_start' };
        assert.deepEqual(codeOf(await sdk(app, 'event', session)), GONE);

        const other = await newInstall(app);
        for (const [list, item, good] of [
          ['installs', calls.install, { fingerprint }],
          ['events', calls.event, { installId: other, eventName: 'good' }],
          ['opens', calls.open, { installId: other, fingerprint }],
        ] as const) {
          const { status, body } = await sdk(app, list, { [list]: [item, good] });
          assert.equal(status, 200);
          const [first, second] = body.results;
          assert.deepEqual([first.status, first.code], GONE, list);
          assert.ok(second.status < 300, list);
        }
        const after = await Promise.all((['installs', 'opens', 'events'] as const).map((t) => rows(app, t)));
        assert.deepEqual(
          after.map((list, n) => list.length - (before[n]?.length ?? 0)),
          [2, 1, 1],
        );
        assert.ok(after.flat().every(({ user_id }) => user_id === null));
      });

    it('still resolves the link that opened the app, without recording', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { deepLinkPath: '/shoes' });
      const installId = await newInstall(app);
      await WAYS.erased(app, installId);
      const answer = await sdk(app, 'resolve', { shortCode, installId });
      assert.deepEqual([answer.status, answer.body.deepLinkPath], [200, '/shoes']);
    });

    it('is another thing than an unknown one, which is recorded with the same id', async () => {
      const app = await world.newApp();
      await WAYS.deleted(app, await newInstall(app));
      const installId = randomUUID();
      const event = { installId, eventName: 'e' };
      assert.deepEqual(codeOf(await sdk(app, 'event', event)), [404, 'install.not_found']);
      const { body } = await sdk(app, 'events', { events: [event] });
      assert.equal(body.results[0].code, 'install.not_found');
      assert.equal((await world.install(app, { installId })).body.installId, installId);
      assert.equal((await sdk(app, 'event', event)).status, 201);
    });

    it('is not gone in another app', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const installId = await newInstall(app);
      await WAYS.deleted(app, installId);
      assert.equal((await world.install(other, { installId })).status, 200);
      assert.deepEqual(codeOf(await world.install(app, { installId })), GONE);
    });

    it('does not take a stranger at the same address along', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const [own, stranger] = [await newInstall(app, from), await newInstall(app, from)];
      await WAYS.erased(app, own);
      assert.deepEqual(codeOf(await sdk(app, 'event', { installId: own, eventName: 'e' })), GONE);
      const event = { installId: stranger, eventName: 'e' };
      assert.equal((await sdk(app, 'event', event)).status, 201);
      assert.equal((await world.install(app, { installId: stranger }, { from })).status, 200);
    });

    it('by the address of a person without a user is gone, too', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const installId = await newInstall(app, from);
      await erase(app, { ipAddress: from });
      assert.deepEqual(codeOf(await world.install(app, { installId }, { from })), GONE);
    });

    it('leaves a tombstone without personal data, which retention removes', async () => {
      const app = await world.newApp();
      const ids = [await newInstall(app), await newInstall(app)];
      await WAYS.deleted(app, ids[0] ?? '');
      await WAYS.erased(app, ids[1] ?? '');
      const stones = () =>
        world.service.db.selectFrom('gone_installs').selectAll().where('app_id', '=', app.id).execute();
      const stored = await stones();
      assert.equal(stored.length, 2);
      for (const stone of stored) {
        assert.deepEqual(Object.keys(stone).sort(), ['app_id', 'gone_at', 'install_mark']);
        assert.ok(!ids.some((id) => id === stone.install_mark));
      }
      world.clock.advance(399 * DAY_MS);
      await dropOld(world.service);
      assert.equal((await stones()).length, 2);
      world.clock.advance(2 * DAY_MS);
      await dropOld(world.service);
      assert.equal((await stones()).length, 0);
    });
  });
