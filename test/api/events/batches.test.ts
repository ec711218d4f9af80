/** SDK endpoints: POST /v1/sdk/events. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const KIB_32 = 32 * 1_024;
const objectOf = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

for (const engine of engines)
  describe(`SDK endpoints, batches of events, on ${engine}`, () => {
    const world = useWorld(engine);

    async function installed() {
      const app = await world.newApp();
      return { app, installId: (await world.install(app)).body.installId as string };
    }
    const send = (path: string, app: TestApp, body: unknown) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
    const stored = (app: TestApp) =>
      world.service.db.selectFrom('events').selectAll().where('app_id', '=', app.id).orderBy('id').execute();

    it('POST /v1/sdk/events returns 200 with one outcome for each event, in order; an invalid event affects no other', async () => {
      const { app, installId } = await installed();
      const good = { installId, eventName: 'good' };
      const [first, last] = [randomUUID(), randomUUID()];
      const events = [
        { ...good, eventId: first },
        { installId, eventName: '' },
        { installId: randomUUID(), eventName: 'unknown install' },
        'no event',
        { ...good, properties: objectOf(KIB_32 + 1) },
        { ...good, eventId: last },
      ];
      const { status, body } = await send('events', app, { events });
      assert.equal(status, 200);
      const { results } = body;
      assert.deepEqual(
        results.map((item: { status: number }) => item.status),
        [201, 400, 404, 400, 400, 201],
      );
      assert.deepEqual([results[0].eventId, results[5].eventId], [first, last]);
      for (const place of [1, 2, 3, 4]) assert.equal(typeof results[place].error, 'string');
      assert.deepEqual(
        (await stored(app)).map((row) => row.event_name),
        ['good', 'good'],
      );
    });

    it('POST /v1/sdk/events accepts at most 500', async () => {
      const { app, installId } = await installed();
      const events = Array.from({ length: 500 }, () => ({ installId, eventName: 'tick' }));
      const { status, body } = await send('events', app, { events });
      assert.deepEqual([status, body.results.length], [200, 500]);
      assertError(
        await send('events', app, { events: [...events, events[0]] }),
        400,
        'request.invalid',
        'events',
      );
      for (const wrong of [undefined, null, {}, 'x'])
        assertError(await send('events', app, { events: wrong }), 400, 'request.invalid', 'events');
      assert.equal((await stored(app)).length, 500);
    });

    it('POST /v1/sdk/events with a forbidden value in one item affects no other, and the outcome names the field', async () => {
      const { app, installId } = await installed();
      const good = JSON.stringify({ installId, eventName: 'good' });
      const withProperties = (json: string) =>
        `{"installId":"${installId}","eventName":"bad","properties":${json}}`;
      const bad: [item: string, error: RegExp][] = [
        [withProperties('{"text":"\\ud83d"}'), /properties\.text.*surrogate/],
        [withProperties('{"text":"\\u0000"}'), /properties\.text.*NUL/],
        [withProperties('{"\\ud83d":1}'), /surrogate/],
        [withProperties(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`), /deep/],
        [withProperties('{"n":1e999}'), /properties\.n.*too large/],
        [withProperties('{"__proto__":{"x":1}}'), /__proto__/],
        [`{"__proto__":{"x":1},${good.slice(1)}`, /__proto__/],
        ['"\\ud83d"', /surrogate/],
      ];
      const items = bad.flatMap(([item]) => [item, good]);
      const { status, body, text } = await world.call('POST', '/v1/sdk/events', {
        key: app.keys.live_publishable,
        rawBody: `{"events":[${good},${items.join(',')}]}`,
      });
      assert.equal(status, 200, text);
      const [first, ...rest] = body.results as { status: number; error?: string }[];
      assert.equal(first?.status, 201);
      for (const [place, [, error]] of bad.entries()) {
        assert.equal(rest[2 * place]?.status, 400);
        assert.match(rest[2 * place]?.error ?? '', error);
        assert.equal(rest[2 * place + 1]?.status, 201);
      }
      assert.equal((await stored(app)).length, bad.length + 1);
    });

    it('POST /v1/sdk/events rejects the whole batch if the body is invalid outside its items', async () => {
      const { app, installId } = await installed();
      const event = { installId, eventName: 'good' };
      const many = { ...event, properties: { list: Array.from({ length: 130_000 }, () => 1) } };
      for (const body of [
        { events: [event], note: '\ud83d' },
        { events: [event, many, many] },
        { events: Array.from({ length: 501 }, () => '\ud83d') },
        { events: { 0: event }, note: 'x' },
        [event],
      ]) {
        const answer = await send('events', app, body);
        assert.equal(answer.status, 400, answer.text);
      }
      assert.equal((await stored(app)).length, 0);
    });

    for (const [what, bad] of Object.entries({
      'an installId in the form of a URN': { installId: `urn:uuid:${randomUUID()}` },
      'an eventId in the form of a URN': { eventId: `urn:uuid:${randomUUID()}` },
      'an occurredAt in the year 0': { occurredAt: '0000-01-01T00:00:00Z' },
      'an occurredAt in the year 10000': { occurredAt: '9999-12-31T23:59:59-23:59' },
      'an occurredAt with a leap second': { occurredAt: '2026-12-31T23:59:60Z' },
    }))
      it(`an invalid event affects no other: ${what}`, async () => {
        const { app, installId } = await installed();
        const good = { installId, eventName: 'good' };
        const { status, body, text } = await send('events', app, {
          events: [good, { ...good, ...bad }, good],
        });
        assert.equal(status, 200, text);
        const statuses = body.results.map((item: { status: number }) => item.status);
        assert.deepEqual([statuses.length, statuses[0], statuses[2]], [3, 201, 201]);
      });
  });
