/** Versioning: the numbered rules, and the unversioned endpoints. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENDPOINTS, emptyBody } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

const BASE = { us: 'https://us.links.test', eu: 'https://eu.links.test' };
/** For visitors, Apple and operators. */
const OUTSIDE = /^\/(l\/|\.well-known\/|healthz$|readyz$|metrics$|openapi\.json$)/;

for (const engine of engines)
  describe(`versioning on ${engine}`, () => {
    const regions = {
      us: useWorld(engine, { PUBLIC_URL: BASE.us, OTHER_REGION_URL: BASE.eu }),
      eu: useWorld(engine, { REGION: 'eu', PUBLIC_URL: BASE.eu, OTHER_REGION_URL: BASE.us }),
    };
    const world = regions.us;

    it('rule 1: the version is the first path segment: all endpoints live under /v1', async () => {
      const { paths } = (await world.call('GET', '/openapi.json')).body as { paths: Record<string, unknown> };
      const others = Object.keys(paths).filter((path) => !path.startsWith('/v1/') && !OUTSIDE.test(path));
      assert.deepEqual(others, []);
    });

    for (const endpoint of ENDPOINTS) {
      const { method, path, title } = endpoint;
      it(`rule 1: ${title} exists only under /v1`, async () => {
        const { live: key } = (await world.newApp()).keys;
        const at = (place: string) => world.call(method, place, { key, body: emptyBody(endpoint) });
        assert.notEqual((await at(path)).headers['x-service-error'], 'route.not_found');
        assertError(await at(path.replace('/v1', '')), 404, 'route.not_found');
        assertError(await at(path.replace('/v1', '/v2')), 404, 'route.not_found');
      });
    }

    for (const [region, other] of [
      ['us', 'eu'],
      ['eu', 'us'],
    ] as const)
      it(`rule 2: ${region.toUpperCase()} has its own base address, for the apps created in it`, async () => {
        const app = await regions[region].newApp();
        assert.ok(app.keys.live.startsWith(`svc_live_${region}_`));
        const { shortCode, shortUrl } = await regions[region].newLink(app);
        assert.equal(shortUrl, `${BASE[region]}/l/${shortCode}`);
        const elsewhere = await regions[other].call('GET', '/v1/links', { key: app.keys.live });
        assertError(elsewhere, 401, 'key.wrong_region', BASE[region]);
      });

    for (const path of ['/healthz', '/readyz', '/openapi.json'])
      it(`${path} needs no key and has no version`, async () => {
        const { status, headers } = await world.call('GET', path);
        assert.equal(status, 200);
        assert.match(String(headers['content-type']), /^application\/json/);
      });

    it('/readyz reports that the database responds and migrations are applied', async () => {
      const { body } = await world.call('GET', '/readyz');
      assert.deepEqual([body.status, body.checks.database.ok], ['ready', true]);
    });

    it('/metrics is Prometheus text, for the admin token', async () => {
      assertError(await world.call('GET', '/metrics'), 401, 'admin.unauthorized');
      const headers = { authorization: `Bearer ${world.service.dataDir.adminToken}` };
      const { status, text, headers: given } = await world.call('GET', '/metrics', { headers });
      assert.equal(status, 200);
      assert.match(String(given['content-type']), /^text\/plain/);
      assert.match(text, /^# HELP /m);
    });
  });
