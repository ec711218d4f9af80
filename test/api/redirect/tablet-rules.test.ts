/** A tablet that asks for desktop pages gets the rule of its platform, once the page has found it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { dataOf } from '../../helpers/truth-expected.ts';
import { MAC } from '../../helpers/truth-links.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`rules for tablets on ${engine}`, () => {
    const world = useWorld(engine);

    it('the page has the address of both rules, and the click, its payload and its counts follow the tablet', async () => {
      const app = await world.newApp();
      const { live: key } = app.keys;
      const to = (name: string) => ({
        fallbackUrl: `https://${name}.example/`,
        deepLinkPath: `/${name}`,
        campaignId: name,
      });
      const rules = [
        { name: 'pads', when: { platform: 'IOS' }, then: to('pads') },
        { name: 'computers', when: { platform: 'OTHER' }, then: to('computers') },
      ];
      const { shortCode } = await world.newLink(app, { rules });
      const headers = { accept: 'text/html' };
      const page = dataOf(
        (await world.tap(shortCode, { userAgent: MAC, from: freshAddress(), headers })).text,
      );
      assert.equal(page.go, 'https://computers.example/');
      assert.equal(page.ipad, 'https://pads.example/');
      const clickOf = async () => {
        const [click] = (await world.call('GET', '/v1/clicks', { key })).body;
        const { totals, byCampaign } = (await world.call('GET', `/v1/links/${shortCode}/stats`, { key }))
          .body;
        const campaigns = byCampaign.filter((one: { clicks: number }) => one.clicks > 0);
        return [
          click.ruleName,
          click.campaignId,
          totals.clicks,
          campaigns.map((one: { campaignId: string }) => one.campaignId),
        ];
      };
      assert.deepEqual(await clickOf(), ['computers', 'computers', 1, ['computers']]);
      const signals = {
        screenWidth: 820,
        screenHeight: 1180,
        pixelRatio: 2,
        maxTouchPoints: 5,
        platform: 'IOS',
      };
      const body = { clickId: page.click, proof: page.proof, ...signals };
      assert.equal((await world.call('POST', `/l/${shortCode}/signals`, { body })).status, 204);
      assert.deepEqual(await clickOf(), ['pads', 'pads', 1, ['pads']]);
      const install = await world.install(app, { clickId: page.click });
      assert.equal(install.body.deepLinkPayload.deepLinkPath, '/pads');
      assert.equal(install.body.campaignId, 'pads');
    });
  });
