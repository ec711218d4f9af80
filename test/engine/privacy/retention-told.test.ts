/** Deliveries never outlive their events, because an erasure finds deliveries through events. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, startOf } from '../../../src/lib/clock.ts';
import { dropOld } from '../../../src/privacy/retention.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { useWorld } from '../../helpers/world.ts';

const ENV = { EVENT_RETENTION_DAYS: '2', WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' };

for (const engine of engines)
  describe(`retention of deliveries of events on ${engine}`, () => {
    const world = useWorld(engine, ENV);

    it('never keeps a delivery longer than its event', async () => {
      const { service } = world;
      const app = await world.newApp();
      const key = app.keys.live;
      const body = { url: 'http://127.0.0.1:9/', secret: 'a secret of the receiver' };
      const events = ['event.recorded'];
      assert.equal(
        (await world.call('POST', '/v1/webhooks', { key, body: { ...body, events } })).status,
        201,
      );
      const { installId } = (await world.install(app)).body;
      const lastOfMonth = startOf('month', service.clock.nowMs(), 1) - HOUR_MS;
      world.clock.advance(lastOfMonth - service.clock.nowMs());
      await service.store.makePartitions(lastOfMonth);
      const event = { installId, eventName: 'bought', userId: 'ada' };
      assert.equal((await world.call('POST', '/v1/sdk/event', { key, body: event })).status, 201);

      const rowsIn = async (table: string) =>
        (await queryStored(world.place, `select id from ${table} where app_id = '${app.id}'`)).length;
      const seen: [events: number, messages: number][] = [];
      for (let day = 0; day < 5; day++) {
        await dropOld(service);
        seen.push([await rowsIn('events'), await rowsIn('webhook_messages')]);
        world.clock.advance(DAY_MS);
      }
      assert.deepEqual(seen, [
        [1, 1],
        [1, 1],
        [1, 0],
        [0, 0],
        [0, 0],
      ]);
    });
  });
