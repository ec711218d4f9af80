/** Short-link hosts of apps stay known during a database outage. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SECOND_MS } from '../../src/lib/clock.ts';
import { ask } from '../helpers/ask.ts';
import { DESKTOP } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { World } from '../helpers/world.ts';

const HOST = 'shop.example.com';
const APPLE = '/.well-known/apple-app-site-association';
const FALLBACK = { fallbackUrl: 'https://example.com/' };

describe('short-link hosts while PostgreSQL', { skip: !engines.includes('postgres') }, () => {
  let place: Place;
  let proxy: TcpProxy;
  let world: World;
  let own: string;
  let foreign: string;

  before(async () => {
    place = await makePlace('postgres');
    proxy = await TcpProxy.open(place.databaseUrl ?? '');
    world = new World('postgres', { DATABASE_URL: proxy.through(place.databaseUrl ?? '') });
    await world.open();
    const ios = { iosTeamId: 'TEAM', iosBundleId: 'com.example.shop' };
    own = (await world.newLink(await world.newApp({ shortLinkHost: HOST, ...ios }), FALLBACK)).shortCode;
    foreign = (await world.newLink(await world.newApp(), FALLBACK)).shortCode;
    await assertKnown();
  });
  after(async () => {
    await proxy?.restore();
    await world?.remove();
    await proxy?.cut();
    await place?.remove();
  });

  const tap = async (code: string, host: string) =>
    (await ask(world, `/l/${code}`, { host, headers: { 'user-agent': DESKTOP } })).status;
  async function assertKnown(): Promise<void> {
    assert.equal(await tap(own, HOST), 302);
    assert.equal(await tap(foreign, 'links.test'), 302);
    assert.equal(await tap(foreign, HOST), 404);
  }
  async function assertNamed(): Promise<void> {
    const { status, body } = await ask(world, APPLE, { host: HOST });
    assert.equal(status, 200);
    assert.deepEqual(body.applinks.details[0].appIDs, ['TEAM.com.example.shop']);
  }

  it('refuses connections: links and association files are served as before', async () => {
    await assertNamed();
    await proxy.cut();
    world.clock.advance(SECOND_MS);
    await assertKnown();
    await assertNamed();
    await proxy.restore();
  });

  it('does not respond: a tap waits a second at most', async () => {
    await assertKnown();
    proxy.fallSilent();
    world.clock.advance(SECOND_MS);
    const startedMs = performance.now();
    await assertKnown();
    const tookMs = performance.now() - startedMs;
    assert.ok(tookMs < 3 * SECOND_MS, `${tookMs} ms for three taps`);
  });
});
