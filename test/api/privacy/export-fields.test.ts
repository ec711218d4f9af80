/** Resources: Export result. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { once } from '../../helpers/once.ts';
import { newPerson } from '../../helpers/privacy-scene.ts';
import { assertField, type FieldRow } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

const EXPORT_ROWS: readonly (readonly [array: string, rows: readonly FieldRow[]])[] = [
  [
    'clicks',
    [
      ['id', 'uuid'],
      ['campaignId', 'string or null'],
      ['platform', 'string'],
      ['clickedAt', 'timestamp'],
    ],
  ],
  [
    'installs',
    [
      ['id', 'uuid'],
      ['attributionMethod', 'string'],
      ['platform', 'string'],
      ['installedAt', 'timestamp'],
    ],
  ],
  [
    'events',
    [
      ['id', 'uuid'],
      ['eventName', 'string'],
      ['properties', 'string'],
      ['createdAt', 'timestamp'],
    ],
  ],
  [
    'openEvents',
    [
      ['id', 'uuid'],
      ['campaignId', 'string or null'],
      ['attributionMethod', 'string'],
      ['openedAt', 'timestamp'],
    ],
  ],
];

for (const engine of engines)
  describe(`resources, Export result, on ${engine}`, () => {
    const world = useWorld(engine);

    const exported = once(async () => {
      const app = await world.newApp();
      const { userId } = await newPerson(world, app);
      const answer = await world.call('POST', '/v1/privacy/export', { key: app.keys.live, body: { userId } });
      assert.equal(answer.status, 200, answer.text);
      return answer.body as Record<string, Record<string, unknown>[]>;
    });

    for (const [array, rows] of EXPORT_ROWS)
      for (const row of rows)
        it(`Export result: ${array}, ${row.join(', ')}`, async () => {
          const records = (await exported())[array] ?? [];
          assert.equal(records.length, 1);
          for (const record of records) assertField(record, row);
        });

    it('Export result: an object with the four arrays', async () => {
      assert.deepEqual(
        Object.keys(await exported()),
        EXPORT_ROWS.map(([array]) => array),
      );
    });

    it('Export result: platform is ANDROID or IOS, properties a string with JSON', async () => {
      const { clicks, installs, events } = await exported();
      assert.deepEqual([clicks?.[0]?.platform, installs?.[0]?.platform], ['IOS', 'IOS']);
      assert.deepEqual(JSON.parse(String(events?.[0]?.properties)), { email: 'a@example.com' });
    });
  });
