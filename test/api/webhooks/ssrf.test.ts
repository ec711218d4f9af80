/** Webhooks do not reach private networks. */
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { parseNetworks, refusalOf } from '../../../src/lib/outgoing/index.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useReceiverProcess } from '../../helpers/webhook-receiver-process.ts';
import { deliveriesOf, newWebhook, SECRET } from '../../helpers/webhooks.ts';
import { useWorld } from '../../helpers/world.ts';

const HOSTS = {
  'the loopback address': [
    '127.0.0.1',
    '127.255.255.254',
    '[::1]',
    '0.0.0.0',
    '[::]',
    'localhost',
    'a.localhost.',
  ],
  'the loopback address in decimal': ['2130706433', '127.1', '127.0.1'],
  'the loopback address in octal': ['0177.0.0.1', '017700000001', '0177.0.0.01'],
  'the loopback address in hexadecimal': ['0x7f000001', '0x7f.0.0.1', '0x7f.1'],
  'the loopback address mapped into IPv6': ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  'the loopback address behind NAT64 and 6to4': [
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
  ],
  'the loopback address in non-ASCII digits': ['１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1'],
  'private addresses': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '[fc00::1]',
    '[fd12:3456::1]',
    '167772161',
    '0x0a000001',
    '012.0.0.1',
    '[::ffff:10.0.0.1]',
    '[64:ff9b::10.0.0.1]',
  ],
  'link-local and metadata addresses': [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '168.63.129.16',
  ],
  'addresses that belong to no single host': [
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
  ],
};

for (const engine of neutralEngines)
  describe(`webhook targets on ${engine}`, () => {
    const world = useWorld(engine);
    const receivers = useReceiverProcess();

    for (const [what, hosts] of Object.entries(HOSTS))
      it(`${what}: 400 that names url, at POST and at PATCH`, async () => {
        const app = await world.newApp();
        const key = app.keys.live;
        const { id } = await newWebhook(world, app, { url: 'https://example.com/hook' });
        for (const host of hosts)
          for (const url of [`http://${host}:${receivers.get.port}/`, `https://${host}/hook`]) {
            const body = { url, secret: SECRET };
            assertError(
              await world.call('POST', '/v1/webhooks', { key, body }),
              400,
              'request.invalid',
              'url',
            );
            const patched = await world.call('PATCH', `/v1/webhooks/${id}`, { key, body: { url } });
            assertError(patched, 400, 'request.invalid', 'url');
          }
        const { body } = await world.call('GET', '/v1/webhooks', { key });
        assert.deepEqual(
          body.map(({ url }: { url: string }) => url),
          ['https://example.com/hook'],
        );
      });

    it('a user name or a password in the URL, or another scheme: 400 that names url', async () => {
      const { keys } = await world.newApp();
      for (const url of [
        'https://user@example.com/',
        'https://user:pw@example.com/',
        'https://:pw@example.com/',
        'ftp://example.com/',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'http://',
        'example.com/hook',
      ]) {
        const answer = await world.call('POST', '/v1/webhooks', {
          key: keys.live,
          body: { url, secret: SECRET },
        });
        assertError(answer, 400, 'request.invalid', 'url');
      }
    });

    const REMEDIES = [
      ['127.0.0.1', '127.0.0.1/32'],
      ['2130706433', '127.0.0.1/32'],
      ['10.1.2.3', '10.1.2.3/32'],
      ['[::1]', '::1/128'],
      ['[fd12:3456::1]', 'fd12:3456::1/128'],
      ['[::ffff:10.0.0.1]', '::ffff:a00:1/128'],
      ['hooks.localhost', '127.0.0.1/32,::1/128'],
    ] as const;
    for (const [host, networks] of REMEDIES)
      it(`the refusal of ${host} says which networks to allow by which setting, and these allow it`, async () => {
        const { keys } = await world.newApp();
        const url = `http://${host}:8080/hook`;
        const body = { url, secret: SECRET };
        const answer = await world.call('POST', '/v1/webhooks', { key: keys.live, body });
        assert.ok(answer.body.error.includes(`adds ${networks} to WEBHOOK_ALLOW_CIDRS`), answer.body.error);
        assert.equal(refusalOf(url, parseNetworks(networks.split(','))), null);
      });

    it('an attempt to an address that is allowed no more says which setting allows it, without the address', async () => {
      const app = await world.newApp();
      const { id } = await newWebhook(world, app, { url: 'https://example.com/hook' });
      const url = `http://localhost:${receivers.get.port}/`;
      await world.service.db.updateTable('webhooks').set({ url }).where('id', '=', id).execute();
      const answer = await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
      assertError(answer, 502);
      assert.match(answer.body.error, /adds its network.* to WEBHOOK_ALLOW_CIDRS/);
      assert.ok(!answer.body.error.includes('127.'));
    });

    it('public addresses are accepted', async () => {
      const app = await world.newApp();
      for (const url of ['https://example.com/', 'http://8.8.8.8:8080/a?b', 'https://[2606:4700::1111]/'])
        await newWebhook(world, app, { url });
    });
  });

for (const engine of neutralEngines)
  for (const [title, env] of [
    ['no network is allowed', {}],
    ['another network is allowed', { WEBHOOK_ALLOW_CIDRS: '10.255.0.0/16' }],
  ] as const)
    describe(`names that resolve to this machine, when ${title}, on ${engine}`, () => {
      const world = useWorld(engine, env);
      const receivers = useReceiverProcess();

      it('are rejected on connection, and no request arrives', async (t) => {
        const name = hostname();
        const addresses = await lookup(name, { all: true }).catch(() => []);
        if (!addresses.some(({ address }) => address.startsWith('127.'))) {
          t.diagnostic(`the name ${name} does not resolve to the loopback address`);
          return;
        }
        const app = await world.newApp();
        const path = `/names-${title.replaceAll(' ', '-')}`;
        const { id } = await newWebhook(world, app, { url: receivers.get.url(path, { host: name }) });
        const answer = await world.call('POST', `/v1/webhooks/${id}/test`, { key: app.keys.live });
        assertError(answer, 502);
        const [record] = await deliveriesOf(world, app, id);
        assert.deepEqual([record?.success, record?.http_status, record?.response_body], [false, 0, '']);
        assert.ok(!String(record?.error_message).includes('127.'), 'the message contains an address');
        assert.deepEqual(await receivers.get.received(path), []);
      });
    });
