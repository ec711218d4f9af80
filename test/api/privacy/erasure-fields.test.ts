/** Resources: Erasure request, and the fields that it nullifies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { erase, newPerson, rowsOf } from '../../helpers/privacy-scene.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

const REQUEST_ROWS: readonly FieldRow[] = [
  ['id', 'uuid'],
  ['status', 'string'],
  ['requestedAt', 'timestamp'],
  ['completedAt', 'timestamp or null'],
];

/** Columns with personal data, and columns of the remaining record. */
const NULLIFIED = [
  [
    'clicks',
    'Clicks',
    'IP hash, user agent, device model, fingerprint',
    ['ip_hash', 'user_agent', 'device_model', 'fingerprint'],
    ['id', 'link_id', 'campaign_id', 'clicked_at'],
  ],
  [
    'installs',
    'Installs',
    'IP hash, user agent, device model',
    ['ip_hash', 'user_agent', 'device_model', 'user_id'],
    ['id', 'campaign_id', 'installed_at', 'attribution_method'],
  ],
  [
    'events',
    'Events',
    'user ID, all properties',
    ['user_id', 'properties'],
    ['id', 'install_id', 'event_name', 'created_at'],
  ],
  [
    'opens',
    'Open events',
    'IP hash, user agent, device model, user ID',
    ['ip_hash', 'user_agent', 'device_model', 'user_id'],
    ['id', 'install_id', 'campaign_id', 'opened_at'],
  ],
] as const;

/** A value that identifies no person: null, or an object without fields. */
const isEmpty = (value: unknown) => value === null || value === '{}';

for (const engine of engines)
  describe(`resources, Erasure request, on ${engine}`, () => {
    const world = useWorld(engine);

    const erased = once(async () => {
      const app = await world.newApp();
      const person = await newPerson(world, app);
      return await erase(world, app, { userId: person.userId, ipAddress: person.ipAddress });
    });

    for (const row of REQUEST_ROWS)
      it(`Erasure request field: ${row.join(', ')}`, async () => {
        for (const request of await erased()) assertField(request, row);
      });

    it('Erasure request: status is pending or completed, completedAt present when completed', async () => {
      for (const { status, requestedAt, completedAt } of await erased()) {
        assert.equal(status, 'completed');
        assert.ok(String(completedAt) >= String(requestedAt));
      }
    });

    for (const [table, kind, what, personal, shell] of NULLIFIED)
      for (const by of ['ipAddress', 'userId'] as const)
        it(`Erasure by ${by} nullifies, ${kind}: ${what}; the record and other people’s records stay`, async () => {
          const app = await world.newApp();
          const person = await newPerson(world, app);
          await newPerson(world, app);
          const before = await rowsOf(world, app, table);
          assert.equal(before.length, 2);
          await erase(world, app, { [by]: person[by] });
          const after = await rowsOf(world, app, table);
          for (const column of personal) assert.ok(isEmpty(after[0]?.[column]), `${column} is erased`);
          for (const column of shell) assert.deepEqual(after[0]?.[column], before[0]?.[column], column);
          assert.deepEqual(after[1], before[1]);
        });

    it('Erasure leaves no record to export', async () => {
      const app = await world.newApp();
      const person = await newPerson(world, app);
      const { userId, ipAddress } = person;
      await erase(world, app, { userId, ipAddress });
      const call = { key: app.keys.live, body: { userId, ipAddress } };
      const { body } = await world.call('POST', '/v1/privacy/export', call);
      assert.deepEqual(body, { clicks: [], installs: [], events: [], openEvents: [] });
    });
  });
