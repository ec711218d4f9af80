import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { updateLinks } from '../../../src/links/queries.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`links on ${engine}`, () => {
    const world = useWorld(engine);

    it('a test key cannot update a link that became live after it was read', async () => {
      const app = await world.newApp();
      const { id } = await world.newLink(app, { campaignId: 'spring' });
      const { service } = world;
      const change = (mode: 'live' | 'test', campaign_id: string) => {
        const actor = { appId: app.id, keyId: '', mode, publishable: false };
        return service.db.transaction().execute((tx) => updateLinks(tx, actor, [id], { campaign_id }));
      };
      assert.deepEqual(await change('test', 'summer'), []);
      assert.equal((await change('live', 'autumn'))[0]?.campaign_id, 'autumn');
    });
  });
