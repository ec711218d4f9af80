import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeRecord } from '../../../src/audit/index.ts';
import { linkChange } from '../../../src/links/change-link.ts';
import { updateLink } from '../../../src/links/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`links on ${engine}`, () => {
    const world = useWorld(engine);

    it('a test key cannot update a link that became live after it was read', async () => {
      const app = await world.newApp();
      const { id } = await world.newLink(app, { campaignId: 'spring' });
      const { service } = world;
      const link = await service.db
        .selectFrom('links')
        .selectAll()
        .where('app_id', '=', app.id)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const change = (mode: 'live' | 'test', campaign_id: string) => {
        const actor = { appId: app.id, keyId: '', mode, publishable: false };
        const record = changeRecord(service, linkChange(actor, link, { action: 'link.updated' }));
        return updateLink(service, actor, id, { campaign_id }, record);
      };
      assert.equal(await change('test', 'summer'), undefined);
      assert.equal((await change('live', 'autumn'))?.campaign_id, 'autumn');
    });
  });
