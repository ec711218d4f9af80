/** Unusual events in a batch and alone: each is stored completely or rejected, and none affects another. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { engines } from '../helpers/engines.ts';
import { assertError, Refusals } from '../helpers/refusal.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

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

    it('with an unusual time are stored with that time or rejected, alone and in a batch', async () => {
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
        const expected = answer.status === 201 ? new Date(occurredAt).toISOString() : undefined;
        assert.equal((await row)?.occurred_at, expected, occurredAt);
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
          result.status === 201 ? ['status', 'eventId'] : ['status', 'error'],
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
