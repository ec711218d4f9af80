/** Endpoints, Links: GET /v1/links/{shortCode}/qr. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { ask } from '../../helpers/ask.ts';
import { type Engine, engines } from '../../helpers/engines.ts';
import { readPng, readSvg, scan } from '../../helpers/scan.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

type Query = Record<string, string | number>;

const LEVELS = ['L', 'M', 'Q', 'H'] as const;

/** A service for the surrounding `describe`, and requests for QR codes of its links. */
function useQrCodes(engine: Engine) {
  const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });

  function pathOf(shortCode: string, query: Query = {}): string {
    const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    return `/v1/links/${shortCode}/qr?${new URLSearchParams(texts)}`;
  }
  const draw = ({ keys }: TestApp, shortCode: string, query: Query = {}, key = keys.live) =>
    ask(world, pathOf(shortCode, query), { headers: { 'x-api-key': key } });
  async function newLink(fields: Record<string, unknown> = {}) {
    const app = await world.newApp();
    return { app, ...(await world.newLink(app, fields)) };
  }
  return { world, pathOf, draw, newLink };
}

// The image does not depend on the database, so one engine is enough.
for (const engine of engines.slice(0, 1))
  describe('endpoints, QR code images', () => {
    const { draw, newLink } = useQrCodes(engine);

    it('are PNG images of 512 pixels with the link’s shortUrl, served inline', async () => {
      const { app, shortCode, shortUrl } = await newLink();
      const { status, headers, bytes } = await draw(app, shortCode);
      assert.deepEqual([status, headers['content-type']], [200, 'image/png']);
      assert.equal(headers['content-disposition'], `inline; filename="${shortCode}.png"`);
      assert.equal(headers['cache-control'], 'no-store');
      const picture = readPng(bytes);
      assert.deepEqual([picture.width, picture.height], [512, 512]);
      assert.equal(scan(picture), shortUrl);
    });

    it('are SVG images of the same code and size', async () => {
      const { app, shortCode, shortUrl } = await newLink();
      const { status, headers, text } = await draw(app, shortCode, { format: 'svg' });
      assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml']);
      assert.equal(headers['content-disposition'], `inline; filename="${shortCode}.svg"`);
      const picture = readSvg(text);
      assert.equal(picture.size, 512);
      assert.equal(scan(picture), shortUrl);
    });

    it('carry a query of the address, so that clicks by them can be told from others', async () => {
      const { app, shortCode, shortUrl } = await newLink();
      const { bytes } = await draw(app, shortCode, { query: 'utm_source=poster&place=A%20b' });
      assert.equal(scan(readPng(bytes)), `${shortUrl}?utm_source=poster&place=A%20b`);
      for (const query of ['', '#top', 'a b', 'x'.repeat(256)])
        assertError(await draw(app, shortCode, { query }), 400, 'request.invalid');
    });

    for (const errorCorrection of LEVELS)
      it(`can be scanned with error correction ${errorCorrection}, also with the longest code, in both formats`, async () => {
        for (const shortCode of [undefined, 'long'.padEnd(64, errorCorrection)]) {
          const link = await newLink({ shortCode });
          const png = await draw(link.app, link.shortCode, { errorCorrection });
          assert.equal(scan(readPng(png.bytes)), link.shortUrl);
          const svg = await draw(link.app, link.shortCode, { errorCorrection, format: 'svg' });
          assert.equal(scan(readSvg(svg.text)), link.shortUrl);
        }
      });

    it('have more modules with a higher error correction', async () => {
      const { app, shortCode } = await newLink({ shortCode: 'level'.padEnd(52, 'x') });
      const sides: number[] = [];
      for (const errorCorrection of LEVELS)
        sides.push(readSvg((await draw(app, shortCode, { errorCorrection, format: 'svg' })).text).width);
      assert.deepEqual(
        sides,
        [...new Set(sides)].sort((one, other) => one - other),
      );
    });

    for (const [what, colours] of [
      ['inverted', { color: '#ffffff', background: '#000000' }],
      ['custom', { color: '#0A3d62', background: '#fFeAa7' }],
      ['transparent', { color: '#112233', background: 'transparent' }],
    ] as const)
      it(`can be scanned with ${what} colours, and have exactly these colours`, async () => {
        const { app, shortCode, shortUrl } = await newLink();
        const png = readPng((await draw(app, shortCode, colours)).bytes);
        const svg = readSvg((await draw(app, shortCode, { ...colours, format: 'svg' })).text);
        for (const picture of [png, svg]) {
          assert.equal(scan(picture), shortUrl);
          const colors = new Set<string>();
          for (let place = 0; place < picture.data.length; place += 4) {
            const [red = 0, green = 0, blue = 0, opacity = 0] = picture.data.subarray(place, place + 4);
            colors.add(opacity === 0 ? 'transparent' : `#${Buffer.from([red, green, blue]).toString('hex')}`);
          }
          const wanted = [colours.background, colours.color].map((colour) => colour.toLowerCase());
          assert.deepEqual([...colors], wanted);
        }
      });

    it('have exactly the requested size, from the smallest to the largest', async () => {
      const { app, shortCode, shortUrl } = await newLink();
      for (const size of [64, 65, 100, 511, 2_048]) {
        const png = readPng((await draw(app, shortCode, { size })).bytes);
        assert.deepEqual([png.width, png.height], [size, size]);
        if (size < 2_048) assert.equal(scan(png), shortUrl, `${size} pixels`);
        assert.equal(readSvg((await draw(app, shortCode, { size, format: 'svg' })).text).size, size);
      }
    });

    it('can be scanned at the smallest size with the highest error correction', async () => {
      const { app, shortCode, shortUrl } = await newLink();
      const { bytes } = await draw(app, shortCode, { size: 64, errorCorrection: 'H' });
      assert.equal(scan(readPng(bytes)), shortUrl);
    });

    it('have the requested margin on every side', async () => {
      const { app, shortCode } = await newLink();
      for (const margin of [0, 1, 4, 16]) {
        const { width, data } = readSvg((await draw(app, shortCode, { margin, format: 'svg' })).text);
        const dark = Array.from({ length: width * width }, (_, place) => data[place * 4] === 0);
        const rows = dark.flatMap((isDark, place) => (isDark ? [Math.floor(place / width)] : []));
        const columns = dark.flatMap((isDark, place) => (isDark ? [place % width] : []));
        for (const places of [rows, columns])
          assert.deepEqual([Math.min(...places), Math.max(...places)], [margin, width - 1 - margin]);
      }
    });

    it('get 400 if a module would be smaller than a pixel, and the error names a sufficient size', async () => {
      const { app, shortCode, shortUrl } = await newLink({ shortCode: 'long'.padEnd(64, 'x') });
      const wide = { size: 64, margin: 16, errorCorrection: 'H' };
      const refused = await draw(app, shortCode, wide);
      assertError(
        refused,
        400,
        'request.invalid',
        /^size .* Set size to at least \d+, or ask for format=svg\.$/,
      );
      const [, size = ''] = /at least (\d+)/.exec(refused.body.error) ?? [];
      assert.equal((await draw(app, shortCode, { ...wide, size: Number(size) - 1 })).status, 400);
      assert.equal(scan(readPng((await draw(app, shortCode, { ...wide, size })).bytes)), shortUrl);
      assert.equal((await draw(app, shortCode, { ...wide, format: 'svg' })).status, 200);
    });

    it('get 400 for colours with too little contrast', async () => {
      const { app, shortCode } = await newLink();
      for (const [color, background] of [
        ['#ffffff', '#ffffff'],
        ['#000000', '#222222'],
        ['#ffff00', '#ffffff'],
        ['#959595', '#ffffff'],
      ] as const)
        assertError(
          await draw(app, shortCode, { color, background }),
          400,
          'request.invalid',
          /^color and background .* Choose a darker color or a lighter background/,
        );
      assert.equal((await draw(app, shortCode, { color: '#949494' })).status, 200);
    });

    for (const [name, wrong] of [
      ['format', ['gif', 'PNG', '']],
      ['size', ['63', '2049', '100.5', 'big', '', '-1', '1e9']],
      ['margin', ['-1', '17', '1.5', 'wide', '']],
      ['color', ['', 'red', '000000', '#000', '#00000g', '#00000000', 'transparent', '#000000"/>']],
      ['background', ['', 'white', 'ffffff', '#fff', 'none', 'url(#a)']],
      ['errorCorrection', ['m', 'high', '', '1']],
    ] as const)
      it(`query ${name}: an invalid value gets 400 and the error names the parameter`, async () => {
        const { app, shortCode } = await newLink();
        for (const value of wrong)
          assertError(await draw(app, shortCode, { [name]: value }), 400, 'request.invalid', name);
      });
  });

for (const engine of engines)
  describe(`endpoints, QR codes of links, on ${engine}`, () => {
    const { world, pathOf, draw, newLink } = useQrCodes(engine);

    it('of an unknown, deleted or foreign link, or of a live link with a test key, get 404', async () => {
      const { app, shortCode } = await newLink();
      const foreign = await newLink();
      const deleted = await world.newLink(app);
      await world.call('DELETE', `/v1/links/${deleted.shortCode}`, { key: app.keys.live });
      for (const code of ['unknown1', 'no/code', deleted.shortCode, foreign.shortCode])
        assertError(await draw(app, encodeURIComponent(code)), 404, 'link.not_found');
      assertError(await draw(app, shortCode, {}, app.keys.test), 404, 'link.not_found');
      const sandbox = await world.newLink(app, {}, app.keys.test);
      assert.equal((await draw(app, sandbox.shortCode, {}, app.keys.test)).status, 200);
    });

    it('of an expired link are still served', async () => {
      const { app, shortCode } = await newLink({ expiresInDays: 1 });
      world.clock.advance(2 * DAY_MS);
      assert.equal((await draw(app, shortCode)).status, 200);
    });

    it('require a secret key', async () => {
      const { app, shortCode } = await newLink();
      assertError(await ask(world, pathOf(shortCode)), 401, 'key.missing');
      for (const key of [app.keys.live_publishable, app.keys.test_publishable])
        assertError(await draw(app, shortCode, {}, key), 401, 'key.wrong_kind');
    });

    it('have the same headers for HEAD and GET', async () => {
      const { app, shortCode } = await newLink();
      const got = await draw(app, shortCode);
      const head = await ask(world, pathOf(shortCode), {
        method: 'HEAD',
        headers: { 'x-api-key': app.keys.live },
      });
      assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      for (const name of ['content-type', 'content-length', 'content-disposition'])
        assert.equal(head.headers[name], got.headers[name]);
    });

    it('contain the app’s own host if it has one', async () => {
      const app = await world.newApp({ shortLinkHost: 'shop.example.com' });
      const { shortCode } = await world.newLink(app);
      const { bytes } = await draw(app, shortCode);
      assert.equal(scan(readPng(bytes)), `https://shop.example.com/l/${shortCode}`);
    });
  });
