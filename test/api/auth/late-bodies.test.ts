/** What a caller may is asked again once the body has arrived. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { callAs, newUser, type TestUser } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { RawConnection } from '../../helpers/raw-http.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`bodies that arrive late on ${engine}`, () => {
    const world = useWorld(engine);

    /** Sends the head of a request, then the body after `meanwhile`. */
    async function sendAround(
      request: { method: string; path: string; headers: Record<string, string>; body: object },
      meanwhile: () => Promise<unknown>,
    ): Promise<{ status: number | undefined; code: string | undefined }> {
      const { api } = world.service;
      if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
      const url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
      const text = JSON.stringify(request.body);
      const arrived = new Promise<void>((resolve) => api.server.once('request', () => resolve()));
      const connection = await RawConnection.open(url);
      const lines = Object.entries({
        host: 'links.test',
        'content-type': 'application/json',
        'content-length': String(text.length),
        ...request.headers,
      }).map(([name, value]) => `${name}: ${value}\r\n`);
      connection.send(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      await arrived;
      // Until the first check has read the database.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await meanwhile();
      connection.send(text);
      const answer = await connection.answer();
      connection.destroy();
      return { status: answer?.status, code: answer?.headers['x-service-error'] };
    }

    it('an owner who was demoted, removed or signed out while the body was on its way changes nothing', async () => {
      const { id: appId } = await world.newApp();
      const owner = await newUser(world, { appId });
      const change = (by: TestUser, path: string, body: object, meanwhile: () => Promise<unknown>) =>
        sendAround(
          { method: 'POST', path, body, headers: { cookie: by.cookie, 'x-app-id': appId } },
          meanwhile,
        );
      const cases = [
        [
          (user: TestUser) =>
            callAs(world, owner, 'PATCH', `/v1/users/${user.id}`, { appId, body: { role: 'viewer' } }),
          { status: 403, code: 'role.too_low' },
        ],
        [
          (user: TestUser) => callAs(world, owner, 'DELETE', `/v1/users/${user.id}`, { appId }),
          { status: 401, code: 'session.missing' },
        ],
        [
          (user: TestUser) => callAs(world, user, 'DELETE', '/v1/session'),
          { status: 401, code: 'session.missing' },
        ],
      ] as const;
      for (const [meanwhile, refusal] of cases) {
        const second = await newUser(world, { appId });
        const answer = await change(second, '/v1/keys', { kind: 'live' }, () => meanwhile(second));
        assert.deepEqual(answer, refusal);
      }
      const keys = await callAs(world, owner, 'GET', '/v1/keys', { appId });
      assert.equal(keys.body.length, 4, 'those of the app alone');
    });

    it('a key that was revoked while the body was on its way changes nothing', async () => {
      const app = await world.newApp();
      const { key, id } = (await world.admin('POST', `/apps/${app.id}/keys`, { kind: 'live' })).body;
      const answer = await sendAround(
        { method: 'POST', path: '/v1/links', headers: { 'x-api-key': key }, body: { deepLinkPath: '/late' } },
        () => world.admin('DELETE', `/apps/${app.id}/keys/${id}`),
      );
      assert.deepEqual(answer, { status: 401, code: 'key.invalid' });
      const links = await world.call('GET', '/v1/links', { key: app.keys.live });
      assert.ok(!links.text.includes('/late'));
    });
  });
