/** SDK endpoints: POST /v1/sdk/event and /v1/sdk/identify. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { assertError, assertField, assertUuidV7, WRONG_VALUES } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

/** UUID formats that no column accepts. */
const URN = `urn:uuid:${randomUUID()}`;
const KIB_32 = 32 * 1_024;
const objectOf = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

for (const engine of engines)
  describe(`SDK endpoints, events, on ${engine}`, () => {
    const world = useWorld(engine);

    async function installed() {
      const app = await world.newApp();
      return { app, installId: (await world.install(app)).body.installId as string };
    }
    const send = (path: string, app: TestApp, body: unknown) =>
      world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body });
    const stored = (app: TestApp) =>
      world.service.db.selectFrom('events').selectAll().where('app_id', '=', app.id).orderBy('id').execute();

    it('POST /v1/sdk/event returns 201 and { eventId }', async () => {
      const { app, installId } = await installed();
      const event = { installId, eventName: 'purchase', properties: { price: 9.5 }, userId: 'u1' };
      const { status, body } = await send('event', app, event);
      assert.deepEqual([status, Object.keys(body)], [201, ['eventId']]);
      assertUuidV7(body.eventId);
      const [row] = await stored(app);
      assert.deepEqual(
        [row?.id, row?.install_id, row?.event_name, row?.properties, row?.user_id],
        [body.eventId, installId, 'purchase', '{"price":9.5}', 'u1'],
      );
    });

    it('revenue has any currency of three capitals: a purchase is worth more than a list of codes', async () => {
      const { app, installId } = await installed();
      for (const currency of ['EUR', 'VED', 'USN', 'CLF', 'UYW', 'XAU', 'XXX', 'DEM', 'XYZ']) {
        const event = { installId, eventName: 'purchase', revenue: { amount: '1', currency } };
        assert.equal((await send('event', app, event)).status, 201, currency);
      }
      for (const currency of ['eur', 'EU', 'EURO', 'E1R', 'ÄÖÜ', '']) {
        const event = { installId, eventName: 'purchase', revenue: { amount: '1', currency } };
        assert.equal((await send('event', app, event)).status, 400, currency);
      }
    });

    it('an eventId from the client is stored, and a retry with it never counts twice', async () => {
      const { app, installId } = await installed();
      const event = { installId, eventName: 'purchase', eventId: randomUUID() };
      const answers = [await send('event', app, event), await send('event', app, event)];
      for (const { status, body } of answers)
        assert.deepEqual([status, body], [201, { eventId: event.eventId }]);
      const batch = await send('events', app, { events: [event, event] });
      assert.deepEqual(
        batch.body.results.map((item: { eventId: string }) => item.eventId),
        [event.eventId, event.eventId],
      );
      assert.equal((await stored(app)).length, 1);
    });

    it('an event has the user of the install, unless it names another one or null for none', async () => {
      const { app, installId } = await installed();
      assert.equal((await send('identify', app, { installId, userId: 'ada' })).status, 204);
      const fields = [{}, { userId: 'bob' }, { userId: null }];
      for (const more of fields) await send('event', app, { installId, eventName: 'e', ...more });
      await send('events', app, { events: fields.map((more) => ({ installId, eventName: 'e', ...more })) });
      assert.deepEqual(
        (await stored(app)).map(({ user_id }) => user_id),
        ['ada', 'bob', null, 'ada', 'bob', null],
      );
    });

    it('an event for an unknown install, or another app’s, gets 404', async () => {
      const { app, installId } = await installed();
      const stranger = await world.newApp();
      assertError(
        await send('event', app, { installId: randomUUID(), eventName: 'x' }),
        404,
        'install.not_found',
      );
      assertError(await send('event', stranger, { installId, eventName: 'x' }), 404, 'install.not_found');
      assert.equal((await stored(stranger)).length, 0);
    });

    for (const [name, accepted, refused] of [
      ['installId', [], [undefined, null, 'no-uuid', URN, 7]],
      ['eventName', ['a', 'e'.repeat(255)], [undefined, null, '', 'e'.repeat(256), ...WRONG_VALUES.string]],
      ['properties', [null, {}, objectOf(KIB_32)], [objectOf(KIB_32 + 1), ...WRONG_VALUES.object]],
      ['userId', [null, 'u', 'u'.repeat(255)], ['', 'u'.repeat(256), ...WRONG_VALUES.string]],
      ['eventId', [null, randomUUID()], ['no-uuid', URN, 7]],
      ['occurredAt', [null, '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05+02:00'], ['yesterday', '', 7]],
    ] as [string, unknown[], unknown[]][])
      it(`event field bound: ${name}`, async () => {
        const { app, installId } = await installed();
        const event = { installId, eventName: 'purchase' };
        for (const value of accepted) {
          const { status, text } = await send('event', app, { ...event, [name]: value });
          assert.equal(status, 201, text);
        }
        for (const value of refused)
          assertError(await send('event', app, { ...event, [name]: value }), 400, 'request.invalid', name);
        assert.equal((await stored(app)).length, accepted.length);
      });

    for (const occurredAt of [
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59-23:59',
    ])
      it(`an occurredAt of ${occurredAt} is stored as that time, as now from the future, or rejected`, async () => {
        const { app, installId } = await installed();
        const { status, text } = await send('event', app, { installId, eventName: 'x', occurredAt });
        assert.ok([201, 400].includes(status), text);
        const rows = await stored(app);
        assert.equal(rows.length, status === 201 ? 1 : 0);
        for (const row of rows) {
          assertField({ occurredAt: row.occurred_at }, ['occurredAt', 'timestamp']);
          assert.ok(
            [Date.parse(occurredAt), Date.parse(row.created_at)].includes(Date.parse(row.occurred_at)),
          );
        }
      });

    it('an eventId of a record that the key cannot see gets 409, so that every 201 is recorded', async () => {
      const { app, installId } = await installed();
      const event = { installId, eventName: 'live', eventId: randomUUID() };
      assert.equal((await send('event', app, event)).status, 201);
      const key = app.keys.test_publishable;
      const sandbox = (await world.install(app, {}, { key })).body.installId;
      const body = { installId: sandbox, eventName: 'sandbox', eventId: event.eventId };
      assertError(await world.call('POST', '/v1/sdk/event', { key, body }), 409, 'record.id_taken');
    });

    it('POST /v1/sdk/identify returns 204, and later events have that user', async () => {
      const { app, installId } = await installed();
      await send('event', app, { installId, eventName: 'before' });
      const { status, text } = await send('identify', app, { installId, userId: 'u1' });
      assert.deepEqual([status, text], [204, '']);
      await send('event', app, { installId, eventName: 'after' });
      await send('event', app, { installId, eventName: 'own', userId: 'u2' });
      assert.deepEqual(
        (await stored(app)).map((row) => row.user_id),
        [null, 'u1', 'u2'],
      );
    });

    it('POST /v1/sdk/identify: installId and userId of 1 to 255 characters are required', async () => {
      const { app, installId } = await installed();
      for (const userId of ['u', 'u'.repeat(255)])
        assert.equal((await send('identify', app, { installId, userId })).status, 204);
      for (const userId of [undefined, null, '', 'u'.repeat(256), 7])
        assertError(await send('identify', app, { installId, userId }), 400, 'request.invalid', 'userId');
      for (const wrong of [undefined, null, 'no-uuid', 7])
        assertError(
          await send('identify', app, { installId: wrong, userId: 'u' }),
          400,
          'request.invalid',
          'installId',
        );
    });

    it('POST /v1/sdk/identify of an unknown install, or another app’s, gets 404', async () => {
      const { app, installId } = await installed();
      for (const [caller, id] of [
        [app, randomUUID()],
        [await world.newApp(), installId],
      ] as const)
        assertError(await send('identify', caller, { installId: id, userId: 'u' }), 404, 'install.not_found');
    });
  });
