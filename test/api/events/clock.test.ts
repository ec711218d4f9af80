/** Times of events by a wrong clock, through the API; `src/events/occurred-at.test.ts` has the rules. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`the clock of a phone on ${engine}`, () => {
    const world = useWorld(engine);
    const at = (ms: number) => isoTime(world.clock.nowMs() + ms);
    const send = (app: TestApp, path: string, body: object) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
    async function agoOf(app: TestApp, eventId: string): Promise<number> {
      const { occurred_at } = await world.service.db
        .selectFrom('events')
        .select('occurred_at')
        .where('app_id', '=', app.id)
        .where('client_event_id', '=', eventId)
        .executeTakeFirstOrThrow();
      return world.clock.nowMs() - Date.parse(occurred_at);
    }
    const near = (actualMs: number, expectedMs: number) =>
      assert.ok(Math.abs(actualMs - expectedMs) < 30_000, `${actualMs} ms ago, not ${expectedMs}`);

    it('is corrected by sentAt of the call, of the batch, or of the item before that of its batch', async () => {
      const app = await world.newApp();
      const { installId } = (await world.install(app)).body;
      const event = (occurredAt: string) => ({
        installId,
        eventName: 'paid',
        eventId: randomUUID(),
        occurredAt,
      });
      const alone = { ...event('1970-01-01T00:00:00Z'), sentAt: '1970-01-01T01:00:00Z' };
      assert.equal((await send(app, 'event', alone)).status, 201);
      near(await agoOf(app, alone.eventId), HOUR_MS);
      const ahead = event(at(DAY_MS - 5 * MINUTE_MS));
      const own = { ...event('1970-01-01T00:00:00Z'), sentAt: '1970-01-01T02:00:00Z' };
      const { body } = await send(app, 'events', { events: [ahead, own], sentAt: at(DAY_MS) });
      assert.deepEqual(
        body.results.map(({ status }: { status: number }) => status),
        [201, 201],
      );
      near(await agoOf(app, ahead.eventId), 5 * MINUTE_MS);
      near(await agoOf(app, own.eventId), 2 * HOUR_MS);
    });

    it('that is ahead loses no event: one from the future is stored as now', async () => {
      const app = await world.newApp();
      const { installId } = (await world.install(app)).body;
      for (const sentAt of [undefined, at(0)]) {
        const event = {
          installId,
          eventName: 'paid',
          eventId: randomUUID(),
          occurredAt: at(400 * DAY_MS),
          sentAt,
        };
        assert.equal((await send(app, 'event', event)).status, 201);
        near(await agoOf(app, event.eventId), 0);
      }
    });

    it('in a sentAt that is no date-time refuses nothing', async () => {
      const app = await world.newApp();
      const { installId } = (await world.install(app)).body;
      for (const sentAt of [null, '', 'now', 1, true, [], { a: 1 }, '2026-12-31T23:59:60Z']) {
        const event = { installId, eventName: 'paid', eventId: randomUUID(), occurredAt: at(-HOUR_MS) };
        assert.equal((await send(app, 'event', { ...event, sentAt })).status, 201, JSON.stringify(sentAt));
        const { status, body } = await send(app, 'events', {
          events: [{ ...event, eventId: randomUUID(), sentAt }],
          sentAt,
        });
        assert.deepEqual([status, body.results[0].status], [200, 201], JSON.stringify(sentAt));
        near(await agoOf(app, event.eventId), HOUR_MS);
      }
    });
  });
