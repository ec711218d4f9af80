import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`the admin token on ${engine}`, () => {
    const tokens = {
      ADMIN_TOKEN: 'the new token of a test',
      PREVIOUS_ADMIN_TOKEN: 'the former token of a test',
    };
    const world = useWorld(engine, tokens);

    it('and the previous one both open until the setting is removed; no other does', async () => {
      const statusWith = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        return (await world.call('GET', '/v1/admin/apps', { headers })).status;
      };
      for (const token of Object.values(tokens)) assert.equal(await statusWith(token), 200);
      for (const token of ['another', 'the new token of a tes', ' '])
        assert.equal(await statusWith(token), 401, token);
      await world.restart({ PREVIOUS_ADMIN_TOKEN: '' });
      assert.deepEqual(
        [await statusWith(tokens.ADMIN_TOKEN), await statusWith(tokens.PREVIOUS_ADMIN_TOKEN)],
        [200, 401],
      );
    });
  });
