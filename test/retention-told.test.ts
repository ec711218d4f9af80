/** Where events are kept for less time than deliveries: by an event an erasure finds what webhooks were told of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, startOf } from '../src/platform/clock.ts';
import { dropOld } from '../src/privacy/retention.ts';
import { engines } from './engines.ts';
import { queryStored } from './stored.ts';
import { useWorld } from './world.ts';

const ENV = { EVENT_RETENTION_DAYS: '2', WEBHOOK_RETENTION_DAYS: '30', WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' };

for (const engine of engines)
  describe(`retention of events that webhooks were told of, on ${engine}`, () => {
    const world = useWorld(engine, ENV);

    it('what was told of an event is never kept for longer than the event', async () => {
      const { ctx } = world.service;
      const app = await world.newApp();
      const key = app.keys.live;
      const body = { url: 'http://127.0.0.1:9/', secret: 'a secret of the receiver' };
      const events = ['event.recorded'];
      assert.equal(
        (await world.call('POST', '/v1/webhooks', { key, body: { ...body, events } })).status,
        201,
      );
      const { installId } = (await world.install(app)).body;
      const lastOfMonth = startOf('month', ctx.clock.nowMs(), 1) - HOUR_MS;
      world.clock.advance(lastOfMonth - ctx.clock.nowMs());
      await ctx.store.makePartitions(lastOfMonth);
      const event = { installId, eventName: 'bought', userId: 'ada' };
      assert.equal((await world.call('POST', '/v1/sdk/event', { key, body: event })).status, 201);

      const rowsIn = async (table: string) =>
        (await queryStored(world.place, `select id from ${table} where app_id = '${app.id}'`)).length;
      const seen: [events: number, messages: number][] = [];
      for (let day = 0; day < 5; day++) {
        await dropOld(ctx);
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
