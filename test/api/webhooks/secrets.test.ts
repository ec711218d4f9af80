/** Secrets that the service makes, and addresses that only editors see. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { queryStored } from '../../helpers/stored.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { CAUSES, deliveriesOf, newWebhook } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const MADE = /^whsec_[A-Za-z0-9+/]{43}=$/;

for (const engine of engines)
  describe(`secrets and addresses of webhooks on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    it('a made secret is in the response that made it alone, and signs', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { id, secret } = await newWebhook(world, app, { url: hook.url, secret: 'generate' });
      assert.match(String(secret), MADE);
      const key = app.keys.live;
      const path = `/v1/webhooks/${id}`;
      const answers = [
        await world.call('GET', path, { key }),
        await world.call('GET', '/v1/webhooks', { key }),
        await world.call('PATCH', path, { key, body: { enabled: true } }),
        await world.call('GET', '/v1/audit-log', { key }),
      ];
      for (const { text } of answers) assert.ok(!text.includes('whsec_'));
      await CAUSES['install.organic'](world, app);
      const [first] = await hook.arrived();
      assert.ok(first);
      new Webhook(String(secret)).verify(first.raw, first.headers as Record<string, string>);

      const rotated = (await world.call('PATCH', path, { key, body: { secret: 'generate' } })).body.secret;
      assert.match(rotated, MADE);
      assert.notEqual(rotated, secret);
      await CAUSES['install.organic'](world, app);
      const [, second] = await hook.arrived(2);
      assert.ok(second);
      for (const each of [secret, rotated])
        new Webhook(String(each)).verify(second.raw, second.headers as Record<string, string>);
    });

    it('a retry with the same Idempotency-Key gets the made secret again, which is stored encrypted', async () => {
      const app = await world.newApp();
      const headers = { 'idempotency-key': randomUUID() };
      const body = { url: 'https://example.com/hook', secret: 'generate' };
      const call = { key: app.keys.live, headers, body };
      const first = await world.call('POST', '/v1/webhooks', call);
      const again = await world.call('POST', '/v1/webhooks', call);
      assert.match(first.body.secret, MADE);
      assert.deepEqual(again.body, first.body);
      const rows = [
        ...(await queryStored(world.place, 'select response from idempotency_keys')),
        ...(await queryStored(world.place, 'select secret from webhooks')),
      ];
      assert.ok(!JSON.stringify(rows).includes(first.body.secret.slice('whsec_'.length, 20)));
      assert.ok(rows.length > 1);
    });

    it('a viewer sees scheme and host of an address alone, wherever it is; an editor sees it whole', async () => {
      const app = await world.newApp();
      const hook = receiver.newHook();
      const { host, pathname } = new URL(hook.url);
      const { id } = await newWebhook(world, app, { url: `${hook.url}`, template: 'slack' });
      await newWebhook(world, app, { url: 'https://shop.example.com/hooks?token=abcdef', enabled: false });
      await CAUSES['install.organic'](world, app);
      await waitFor('a record', async () =>
        (await deliveriesOf(world, app, id)).length > 0 ? true : undefined,
      );
      // A receiver that repeats the path, as many do in a 404.
      await world.service.db
        .updateTable('webhook_attempts')
        .set({ response_body: `Cannot POST ${JSON.stringify(pathname)} ${encodeURIComponent(pathname)}` })
        .where('app_id', '=', app.id)
        .execute();
      const paths = ['/v1/webhooks', `/v1/webhooks/${id}`, '/v1/webhooks/deliveries', '/v1/audit-log'];
      const viewer = await newUser(world, { appId: app.id, role: 'viewer' });
      for (const path of paths) {
        const { status, text } = await callAs(world, viewer, 'GET', path, { appId: app.id });
        assert.equal(status, 200, path);
        assert.ok(
          !text.includes(pathname) &&
            !text.includes(encodeURIComponent(pathname)) &&
            !text.includes('abcdef'),
          `${path} has an address`,
        );
        if (path !== '/v1/audit-log') assert.ok(text.includes(`http://${host}/…`), path);
      }
      for (const role of ['editor', 'owner'] as const) {
        const user = await newUser(world, { appId: app.id, role });
        for (const path of paths.slice(0, 3))
          assert.ok((await callAs(world, user, 'GET', path, { appId: app.id })).text.includes(hook.url));
      }
      const { text } = await world.call('GET', '/v1/webhooks', { key: app.keys.live });
      assert.ok(text.includes(hook.url), 'a key does not see the address');
    });
  });
