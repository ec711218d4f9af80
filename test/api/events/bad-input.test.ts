/** Unusual events in a batch and alone: each is stored completely or rejected, and none affects another. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError, Refusals } from '../../helpers/refusal.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

/** The limits of calendars, clocks, JavaScript and databases, and values beyond them. */
const DATES = `
  9999-12-31T23:59:60Z | 9999-12-31T23:59:59.999Z | 9999-12-31T23:59:59-14:00 | 2016-12-31T23:59:60Z |
  0000-01-01T00:00:00Z | 0000-01-01T00:00:00+14:00 | 0001-01-01T00:00:00Z | 0001-01-01T00:00:00+14:00 |
  +275760-09-13T00:00:00Z | +275760-09-13T00:00:00.001Z | 275760-01-01T00:00:00Z | -271821-04-20T00:00:00Z |
  2026-01-02T03:04:05.123456789Z | 2026-01-02 03:04:05Z | 2026-01-02t03:04:05z | 2026-01-02T24:00:00Z |
  2026-01-02T03:04:05+23:59 | 2026-01-02T03:04:05+24:00 | 2026-01-02T03:04:05-99:99 | 1969-12-31T23:59:59Z |
  2026-01-02T03:04:05 | 2024-02-29T12:00:00Z | 2025-02-29T12:00:00Z | 2026-01-02T03:04:05+0100
`
  .trim()
  .split(/\s*\|\s*/);

for (const engine of engines)
  describe(`events on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    let installId: string;
    before(async () => {
      app = await world.newApp();
      installId = (await world.install(app)).body.installId;
    });
    const send = (path: string, body: unknown, from = freshAddress()) =>
      world.call('POST', path, { key: app.keys.live, body, from });

    it('with an unusual time are stored with that time, now if it is in the future, or rejected, alone and in a batch', async () => {
      const statuses: Record<string, number> = {};
      for (const occurredAt of DATES) {
        const eventId = randomUUID();
        const answer = await send('/v1/sdk/event', { installId, eventName: 'e', eventId, occurredAt });
        statuses[occurredAt] = answer.status;
        if (answer.status !== 201) {
          assert.equal(answer.status, 400, `${occurredAt}: ${answer.text}`);
          assertError(answer, occurredAt);
        }
        const { db } = world.service;
        const row = db
          .selectFrom('events')
          .select('occurred_at')
          .where('client_event_id', '=', eventId)
          .executeTakeFirst();
        const storedMs = Date.parse((await row)?.occurred_at ?? '');
        if (answer.status !== 201) assert.ok(Number.isNaN(storedMs), occurredAt);
        else if (Date.parse(occurredAt) < world.clock.nowMs())
          assert.equal(storedMs, Date.parse(occurredAt), occurredAt);
        else assert.ok(Math.abs(world.clock.nowMs() - storedMs) < MINUTE_MS, occurredAt);
      }
      const events = DATES.map((occurredAt) => ({ installId, eventName: 'e', occurredAt }));
      const { status, body } = await send('/v1/sdk/events', { events });
      assert.equal(status, 200);
      assert.deepEqual(
        body.results.map((result: { status: number }) => result.status),
        Object.values(statuses),
      );
    });

    it('that are invalid do not affect the others of their batch', async () => {
      const good = () => ({ installId, eventName: 'good', eventId: randomUUID() });
      const twice = good();
      const bad = [
        null,
        1,
        'x',
        [],
        {},
        { ...good(), eventName: '' },
        { ...good(), properties: [] },
        { ...good(), eventId: 'x' },
        { ...good(), eventName: 'a\0b' },
        { ...good(), userId: '\ud800' },
        { ...good(), properties: { deep: { text: '\0' } } },
        { ...good(), properties: { '\udc00': 1 } },
        { ...good(), properties: JSON.parse('{ "__proto__": 1 }') },
        { ...good(), properties: JSON.parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`) },
        { ...good(), properties: { text: '😀'.repeat(8 * 1_024) } },
        { ...good(), properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`f${n}`, n])) },
        { ...good(), properties: 'x' },
        { ...good(), installId: 7 },
        { ...good(), eventName: { a: 1 } },
        { ...good(), eventName: 'x'.repeat(256) },
        { ...good(), transactionId: 'x'.repeat(256) },
        { ...good(), revenue: { amount: 19.99, currency: 'EUR' } },
        { ...good(), revenue: { amount: '1e3', currency: 'EUR' } },
        { ...good(), revenue: { amount: '1', currency: 'eur' } },
        { ...good(), revenue: { amount: '1', currency: 'EURO' } },
        { ...good(), occurredAt: 'yesterday' },
      ];
      const large = { ...good(), properties: { a: 'x'.repeat(32 * 1_024) } };
      const foreign = { ...good(), installId: randomUUID() };
      const events = [twice, ...bad.flatMap((one) => [one, good()]), large, foreign, twice];
      const { status, body } = await send('/v1/sdk/events', { events });
      assert.equal(status, 200);
      assert.deepEqual(
        body.results.map((result: { status: number }) => result.status),
        [201, ...bad.flatMap(() => [400, 201]), 400, 404, 201],
      );
      for (const result of body.results) {
        assert.deepEqual(
          Object.keys(result),
          result.status === 201 ? ['status', 'eventId'] : ['status', 'error', 'code'],
        );
      }
      assert.equal(await countEvents('good'), bad.length + 1);
    });

    it('are limited to 500 in a batch', async () => {
      const events = Array.from({ length: 500 }, () => ({ installId, eventName: 'many' }));
      const answer = await send('/v1/sdk/events', { events });
      assert.equal(answer.status, 200);
      assert.equal(await countEvents('many'), 500);
      const refusals = new Refusals();
      refusals.check(await send('/v1/sdk/events', { events: [...events, events[0]] }), 400, '501', 'events');
      refusals.end();
      assert.equal(await countEvents('many'), 500);
    });

    async function countEvents(name: string): Promise<number> {
      const { db } = world.service;
      return (await db.selectFrom('events').select('id').where('event_name', '=', name).execute()).length;
    }
  });
