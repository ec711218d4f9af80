/** Whether caches may keep a response of the API. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, newUser } from '../../helpers/accounts.ts';
import type { Answer } from '../../helpers/world.ts';
import { useWorld } from '../../helpers/world.ts';

const VARY = 'X-Api-Key, Authorization, Cookie, X-App-Id, Accept';

describe('caching', () => {
  const world = useWorld('sqlite');
  const assertKept = ({ headers, status }: Answer, vary = VARY) =>
    assert.deepEqual([headers['cache-control'], headers.vary], ['no-store', vary], String(status));

  it('no response of the API may be kept, whatever its kind and status, and it names what it varies with', async () => {
    const app = await world.newApp();
    const { shortCode } = await world.newLink(app);
    const owner = await newUser(world, { appId: app.id });
    const key = app.keys.live;
    for (const answer of [
      await world.call('GET', '/v1/links', { key }),
      await world.call('HEAD', '/v1/links', { key }),
      await world.call('GET', '/v1/links'),
      await world.call('GET', '/%761/links', { key }),
      await world.call('GET', '/v%31/links', { key }),
      await world.call('GET', '/v1', { key }),
      await world.call('GET', '/v1/links/unknown1', { key }),
      await world.call('GET', '/v1/no-such-path', { key }),
      await world.call('GET', '/v1/links/%zz', { key }),
      await world.call('POST', '/v1/links', { key, rawBody: '{' }),
      await world.call('DELETE', `/v1/links/${shortCode}`, { key }),
      await world.call('GET', '/v1/clicks', { key, headers: { accept: 'text/csv' } }),
      await world.call('GET', '/v1/stats', { key, headers: { accept: 'text/csv' } }),
      await world.call('GET', `/v1/links/${(await world.newLink(app)).shortCode}/qr`, { key }),
      await world.call('POST', '/v1/privacy/export', { key, body: { userId: 'u' } }),
      await callAs(world, owner, 'GET', '/v1/session'),
      await callAs(world, owner, 'GET', '/v1/links', { appId: app.id }),
      await world.call('GET', '/v1/session/options'),
      await world.call('GET', '/v1/session/oidc'),
      await world.admin('GET', '/apps'),
    ])
      assertKept(answer);
    for (const answer of [
      await world.call('POST', '/v1/sdk/resolve', { key: app.keys.live_publishable, body: { shortCode } }),
      await world.call('POST', '/v1/sdk/resolve'),
      await world.call('OPTIONS', '/v1/sdk/resolve'),
      await world.call('GET', '/v1/sdk/unknown'),
      await world.call('OPTIONS', '/%761/sdk/resolve'),
    ])
      assertKept(answer, 'X-Api-Key, Origin');
  });

  it('what is the same for everybody may be kept', async () => {
    for (const path of ['/.well-known/apple-app-site-association', '/openapi.json'])
      assert.notEqual((await world.call('GET', path)).headers['cache-control'], 'no-store');
  });
});
