/** Short codes that would hide a link behind a route of the service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RESERVED_CODES } from '../../../src/links/look-up/check-path.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { importFile, reportOf, tableOf } from '../../helpers/imports.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`reserved short codes on ${engine}`, () => {
    const world = useWorld(engine);

    it('they are the names of all routes that stand in the place of a short code', () => {
      const tree = world.service.api.printRoutes({ commonPrefix: false });
      const [, below = ''] = /── v1\/links \(.*\n((?: {4}│.*\n)+)/.exec(tree) ?? [];
      const names = [...below.matchAll(/^ {4}│ {3}[├└]── \/(\S+)/gm)].map(([, name]) => name);
      assert.ok(names.includes(':shortCode'), tree);
      assert.deepEqual(names.filter((name) => name !== ':shortCode').sort(), [...RESERVED_CODES].sort());
    });

    it('no new link has one, by any way to make it', async () => {
      const app = await world.newApp();
      const { live: key } = app.keys;
      for (const shortCode of RESERVED_CODES) {
        const link = { deepLinkPath: '/', shortCode };
        const single = await world.call('POST', '/v1/links', { key, body: link });
        assertError(single, 400, 'request.invalid', 'Choose another one');
        const body = { links: [link, { deepLinkPath: '/', shortCode: `${shortCode}-2` }] };
        const batch = await world.call('POST', '/v1/links/batch', { key, body });
        const [refused, made] = batch.body.results;
        assert.deepEqual([refused.code, refused.error], ['request.invalid', single.body.error]);
        assert.equal(made.status, 201);
        const file = tableOf(
          'Short Link,Destination URL',
          `https://old.test/${shortCode},https://shop.test/`,
        );
        const { id } = await importFile(world, file, { key });
        const [row] = await reportOf(world, key, id);
        assert.deepEqual([row?.outcome, row?.reason], ['failed', single.body.error]);
        assert.equal((await world.call('GET', `/v1/links/${shortCode}`, { key })).status, 404);
      }
    });
  });
