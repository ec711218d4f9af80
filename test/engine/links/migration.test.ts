/** Links of an earlier version. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { upgradeStore } from '../../helpers/earlier-version.ts';
import { engines } from '../../helpers/engines.ts';

for (const engine of engines)
  describe(`links of an earlier version on ${engine}`, () => {
    it('are found by their texts after an upgrade, unless they are deleted', async (t) => {
      const at = '2026-11-24T12:00:00.000Z';
      const link = {
        ...{ campaign_id: 'Été', deep_link_path: '/Shoes', sandbox: 0 },
        ...{ deep_link_params: '{}', metadata: '{}' },
        ...{ created_at: at, updated_at: at },
      };
      const [kept, other, deleted] = [randomUUID(), randomUUID(), randomUUID()];
      const upgraded = await upgradeStore(t, {
        engine,
        added: '0029_link_texts',
        fill: async (db) => {
          await db
            .insertInto('links')
            .values([
              { ...link, app_id: randomUUID(), id: kept, short_code: 'kept', deleted_at: null },
              { ...link, app_id: randomUUID(), id: other, short_code: 'other', deleted_at: null },
              { ...link, app_id: randomUUID(), id: deleted, short_code: 'deleted', deleted_at: at },
            ])
            .execute();
        },
      });
      const rows = await upgraded.db.selectFrom('link_texts').select(['link_id', 'words']).execute();
      assert.deepEqual(
        new Map(rows.map(({ link_id, words }) => [link_id, words])),
        new Map([
          [kept, 'kept\n\nété\n/shoes\n\n'],
          [other, 'other\n\nété\n/shoes\n\n'],
        ]),
      );
    });
  });
