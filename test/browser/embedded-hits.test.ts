/** A page of another site in a real browser embeds a short link, or navigates to it. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { classifyVisitor } from '../../src/redirect/visitors/index.ts';
import { DEVICES, useBrowser } from '../helpers/browser.ts';
import { engines } from '../helpers/engines.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { IPHONE, useWorld } from '../helpers/world.ts';

const browser = await useBrowser();

/** Requests for a link without a navigation. LINK is replaced by the short link. */
const EMBEDDED = {
  'an image': '<img src="LINK">',
  'a hidden frame': '<iframe src="LINK" hidden></iframe>',
  'an object': '<object data="LINK"></object>',
  'a fetch': '<script>fetch("LINK", { mode: "no-cors" })</script>',
  'a fetch that asks for HTML':
    '<script>fetch("LINK", { mode: "no-cors", headers: { accept: "text/html" } })</script>',
};

const NAVIGATED = {
  'a click': '<a id="go" href="LINK">Go</a>',
  'a script': '<script>setTimeout(() => { location = "LINK" })</script>',
  'a redirect': '<a id="go" href="/redirect?LINK">Go</a>',
  'a refresh': '<meta http-equiv="refresh" content="0; url=LINK">',
};

// Browsers' headers only; attribution-rules.test.ts tests on each engine that such clicks are not attributed.
for (const engine of engines.slice(0, 1))
  describe('short links on a page of another origin', { skip: browser.missing }, () => {
    const world = useWorld(engine);
    let site: Server;
    let siteUrl: string;
    let base: string;
    let html = '';
    let opened: IncomingHttpHeaders | undefined;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      base = urlOf(world.service.api.server);
      site = createServer(({ url = '', headers }, response) => {
        if (url === '/opened') opened = headers;
        const target = /^\/redirect\?(.*)/.exec(url)?.[1];
        if (target !== undefined) response.writeHead(302, { location: target });
        else response.setHeader('content-type', 'text/html');
        response.end(`<!doctype html><title>Another site</title>${html}`);
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      siteUrl = `${urlOf(site)}/`;
    });
    afterEach(() => browser.closePages());
    after(() => site?.close());

    /** Opens the site's page on a phone and returns the click stored for the link. */
    async function visit(part: string) {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { iosDestination: 'https://apps.apple.com/app/id1' });
      html = part.replace('LINK', `${base}/l/${shortCode}`);
      const page = await browser.open(DEVICES.iphone);
      await page.goto(siteUrl);
      if (part.includes('id="go"')) await page.tap('#go');
      await page.reached(`${base}/l/`);
      const click = await waitFor('the click to be stored', async () => {
        await world.service.clickLog.applied();
        const where = `where app_id = '${app.id}'`;
        return (await queryStored(world.place, `select visitor, visitor_reason from clicks ${where}`))[0];
      });
      return { app, click };
    }

    for (const [how, part] of Object.entries(EMBEDDED))
      it(`${how} is an embedded hit, and no install is attributed to it`, async () => {
        const { app, click } = await visit(part);
        const fingerprint = {
          platform: 'IOS',
          osVersion: '26.1',
          deviceModel: 'iPhone15,2',
          locale: 'en_US',
        };
        const { body } = await world.install(app, { fingerprint }, { from: '127.0.0.1' });
        assert.deepEqual(
          { ...click, method: body.method, confidence: body.confidence },
          { visitor: 'embedded', visitor_reason: 'sec-fetch-dest', method: 'ORGANIC', confidence: null },
        );
      });

    for (const [how, part] of Object.entries(NAVIGATED))
      it(`${how} to the link is a human tap`, async () => {
        const { click } = await visit(part);
        assert.deepEqual({ ...click }, { visitor: 'human', visitor_reason: 'user-agent:browser' });
      });

    // The test browser emulates no phone in a tab opened by a page, so the user agent is set here.
    it('a link that opens in a new tab is a human tap', async () => {
      html = '<a id="go" href="/opened" target="_blank">Go</a>';
      const page = await browser.open(DEVICES.iphone);
      await page.goto(siteUrl);
      await page.tap('#go');
      const sent = await waitFor('the tab to open', async () => opened);
      assert.equal(sent['sec-fetch-dest'], 'document');
      assert.equal(classifyVisitor('GET', { ...sent, 'user-agent': IPHONE }).kind, 'human');
    });
  });

function urlOf(server: { address(): AddressInfo | string | null }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
