import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, dayOf, isoTime } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`daily limit of installs on ${engine}`, () => {
    const world = useWorld(engine);

    it('an address records 20,000 installs and opens of an app a day with publishable keys', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const open = () =>
        world.call('POST', '/v1/sdk/open', {
          key: app.keys.live_publishable,
          from,
          body: { fingerprint: IPHONE_FINGERPRINT },
        });
      const installId = randomUUID();
      await world.install(app, { installId }, { from });
      const { service } = world;
      const { dailyUsage } = service;
      const subject = service.secrets.markId(app.id, service.secrets.hashAddress(app.id, from) ?? '');
      const day = dayOf(isoTime(world.clock.nowMs()));
      const usage = dailyUsage.of({ app_id: app.id, day, kind: 'address_install', subject });
      assert.equal(usage.records, 1);
      usage.add(19_998, 0);

      assert.equal((await open()).status, 200);
      for (const refused of [await open(), await world.install(app, {}, { from })]) {
        assert.deepEqual([refused.status, refused.headers['x-service-error']], [429, 'install.daily_limit']);
        assert.ok(Number(refused.headers['retry-after']) > 0);
      }
      assert.equal((await world.install(app, { installId }, { from })).body.installId, installId);
      assert.equal((await world.install(app, {}, { from: freshAddress() })).status, 200);
      assert.equal((await world.install(app, {}, { from, key: app.keys.live })).status, 200);
      world.clock.advance(DAY_MS);
      assert.equal((await open()).status, 200);
    });
  });
