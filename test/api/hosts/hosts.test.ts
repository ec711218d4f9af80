/** Watching the host of an app's short links, with stand-ins for everybody who is asked. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { checkHosts } from '../../../src/commands/doctor/hosts.ts';
import { readConfig } from '../../../src/config.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { engines, neutralEngines } from '../../helpers/engines.ts';
import { MailServer } from '../../helpers/mail-server.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { Front, StandInApple, StandInGoogle, StandInLists } from '../../helpers/stand-in-hosts.ts';
import { envelopeOf, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook, passAttempts } from '../../helpers/webhooks.ts';
import { type TestApp, useWorld, World } from '../../helpers/world.ts';

const FINGERPRINT = 'AB:'.repeat(31).concat('CD');
const FIELDS = {
  ...{ iosTeamId: 'A1B2C3D4E5', iosBundleId: 'com.example.shop', androidPackage: 'com.example.shop' },
  androidCertFingerprints: [FINGERPRINT],
};
const CONFIRM_MS = 5 * MINUTE_MS;

const front = await new Front().open();
const apple = await new StandInApple().open();
const google = await new StandInGoogle().open();
const lists = await new StandInLists().open();
const mails = new MailServer();
const mailPort = await mails.start();
after(() => Promise.all([front.close(), apple.close(), google.close(), lists.close(), mails.stop()]));

const closedPort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
});

const ENV = {
  PUBLIC_URL: `https://links.localhost:${front.port}`,
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
  APPLE_ASSOCIATION_URL: apple.url,
  ASSET_LINKS_URL: google.url,
  BLOCK_LISTS: `${lists.baseUrl}/moved/hosts.txt,${lists.baseUrl}/adblock.txt?key=operators`,
  SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  MAIL_FROM: 'mail@example.com',
};

let made = 0;

for (const engine of engines)
  describe(`hosts on ${engine}`, () => {
    const receiver = useReceiver();
    const world = useWorld(engine, ENV, { authorities: front.authorities });
    liftRateLimits();
    before(() => {
      front.world = world;
    });
    beforeEach(() => {
      lists.lists.set('/hosts.txt', '0.0.0.0 ads.test\n').set('/adblock.txt', '||ads.test^\n');
      world.clock.advance(2 * MINUTE_MS);
    });

    /** An app with its own host, whose files Apple and Google have read. */
    async function newHost(fields: object = {}) {
      made += 1;
      const host = `shop${made}.localhost`;
      front.certify(host);
      const app = await world.newApp({ ...FIELDS, shortLinkHost: host, ...fields });
      const files = await world.service.hostDirectory.filesAt(host);
      apple.has(host, files.apple.toString());
      google.files.set(host, files.android.toString());
      return { host, app };
    }
    const read = async (app: TestApp) =>
      (await world.call('GET', '/v1/hosts', { key: app.keys.live })).body[0];
    /** Later than what was asked before counts. */
    const check = async (app: TestApp) => {
      world.clock.advance(2 * MINUTE_MS);
      return (await world.call('POST', '/v1/hosts/check', { key: app.keys.live })).body[0];
    };
    const confirmed = async (app: TestApp) => {
      await check(app);
      world.clock.advance(CONFIRM_MS);
      return await check(app);
    };
    const statesOf = ({ checks }: { checks: { check: string; state: string }[] }) =>
      Object.fromEntries(checks.map(({ check: name, state }) => [name, state]));
    const textOf = (host: { checks: { check: string; message: string }[] }, name: string) =>
      host.checks.find((one) => one.check === name)?.message ?? '';
    const ALL_OK = {
      ...{ dns: 'ok', certificate: 'ok', association_files: 'ok' },
      ...{ apple_copy: 'ok', google_verdict: 'ok', block_lists: 'ok' },
    };

    it('a host in order is in order by every check, with its certificate’s days', async () => {
      const { app, host } = await newHost();
      const found = await check(app);
      assert.deepEqual(statesOf(found), ALL_OK);
      assert.deepEqual([found.host, found.state, found.watching], [host, 'ok', 'on']);
      assert.ok(found.certificate.daysLeft > 8_000);
      assert.deepEqual(await read(app), found);
    });

    it('one failed look tells nobody; the second tells webhooks and owners once, and so does the end', async () => {
      const { app, host } = await newHost();
      const owner = await newUser(world, { appId: app.id });
      await newUser(world, { appId: app.id, role: 'editor' });
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['host.problem', 'host.recovered'] });
      await check(app);
      front.elsewhere.set(host, () => ({ status: 200, body: 'another server' }));
      const first = await check(app);
      assert.deepEqual([first.state, first.checks[0].confirmed], ['problem', false]);
      world.clock.advance(CONFIRM_MS);
      const [second] = [await check(app)];
      assert.deepEqual([second.state, second.checks[0].confirmed], ['problem', true]);
      await check(app);
      front.elsewhere.delete(host);
      assert.deepEqual(statesOf(await check(app)), ALL_OK);
      await check(app);
      await passAttempts(world, [app.id]);
      const told = hook.received.map(envelopeOf);
      assert.deepEqual(
        told.map(({ event }) => event),
        ['host.problem', 'host.recovered'],
      );
      const [problem, recovered] = told.map(({ data }) => data);
      assert.deepEqual(Object.keys(problem ?? {}), [
        ...['host', 'check', 'message', 'mend', 'since', 'appName'],
      ]);
      assert.deepEqual([problem?.host, problem?.check, problem?.since], [host, 'dns', first.checkedAt]);
      assert.equal(recovered?.since, first.checkedAt);
      const mailed = mails.mails.filter(({ text }) => text.includes(host));
      assert.deepEqual(
        mailed.map(({ to }) => to),
        [[owner.email], [owner.email]],
      );
      assert.match(mailed[0]?.text ?? '', /Another server answers/);
    });

    it('operators are told of an app that has no owner, and of no other', async () => {
      const operator = await newUser(world, { isOperator: true });
      const owned = await newHost();
      await newUser(world, { appId: owned.app.id });
      const unowned = await newHost();
      await newUser(world, { appId: unowned.app.id, role: 'editor' });
      for (const { app, host } of [owned, unowned]) {
        await check(app);
        front.elsewhere.set(host, () => ({ status: 200, body: 'another server' }));
        await confirmed(app);
      }
      const told = mails.mails.filter(({ to }) => to.includes(operator.email));
      assert.equal(told.length, 1);
      assert.ok(told[0]?.text.includes(unowned.host));
      for (const { app, host } of [owned, unowned]) {
        front.elsewhere.delete(host);
        await check(app);
      }
    });

    it('the daily look comes by itself, asks once a day, and again after five minutes where one failed', async () => {
      const { app, host } = await newHost();
      await world.service.hostWatch.turn();
      assert.equal((await read(app)).checkedAt, null, 'time to make the DNS record');
      const asked = () =>
        front.requests.filter((url) => url === `${host}/.well-known/throughline?nonce`).length;
      world.clock.advance(11 * MINUTE_MS);
      for (const _turn of [1, 2, 3]) await world.service.hostWatch.turn();
      assert.deepEqual([asked(), (await read(app)).state], [1, 'ok']);
      world.clock.advance(DAY_MS);
      front.elsewhere.set(host, () => ({ status: 503, body: '' }));
      await world.service.hostWatch.turn();
      world.clock.advance(CONFIRM_MS);
      await world.service.hostWatch.turn();
      await world.service.hostWatch.turn();
      assert.deepEqual([asked(), (await read(app)).checks[0].confirmed], [3, true]);
    });

    it('another process that watches leaves this one nothing to do', {
      skip: engine === 'sqlite',
    }, async () => {
      const { app } = await newHost();
      await world.service.hostWatch.turn();
      world.clock.advance(11 * MINUTE_MS);
      await world.service.db
        .updateTable('leases')
        .set({ holder: world.service.ids.next(), held_until: '9999-01-01T00:00:00.000Z' })
        .where('name', '=', 'hosts')
        .execute();
      await world.service.hostWatch.turn();
      assert.equal((await read(app)).checkedAt, null);
      await world.service.db.deleteFrom('leases').where('name', '=', 'hosts').execute();
      await world.service.hostWatch.turn();
      assert.equal((await read(app)).state, 'ok');
    });

    it('an app whose look cannot be stored delays no other, and its host is not asked each minute', async () => {
      const [bad, good] = [await newHost(), await newHost()];
      await world.service.hostWatch.turn();
      world.clock.advance(11 * MINUTE_MS);
      const asked = () =>
        front.requests.filter((url) => url.startsWith(`${bad.host}/.well-known/throughline`)).length;
      const { webhooks } = world.service;
      const { get } = webhooks;
      webhooks.get = async (appId) => {
        if (appId === bad.app.id) throw new Error('the node of this app is away');
        return await get(appId);
      };
      try {
        await assert.rejects(world.service.hostWatch.turn(), /is away/);
        world.clock.advance(2 * MINUTE_MS);
        await world.service.hostWatch.turn();
        assert.deepEqual([(await read(good.app)).state, asked()], ['ok', 1]);
      } finally {
        webhooks.get = get;
      }
      world.clock.advance(60 * MINUTE_MS);
      await world.service.hostWatch.turn();
      assert.equal((await read(bad.app)).state, 'ok');
    });

    it('what an app had before is forgotten with its host', async () => {
      const { app } = await newHost();
      await check(app);
      made += 1;
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: `shop${made}.localhost` });
      assert.deepEqual((await read(app)).checks, []);
      await world.service.hostWatch.turn();
      const rows = await world.service.db
        .selectFrom('watched_hosts')
        .select('host')
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(rows, [{ host: `shop${made}.localhost` }]);
    });

    it('an app without a host of its own has the one that all apps share, which is asked once for all', async () => {
      front.certify('links.localhost');
      const [one, other] = [await world.newApp(), await world.newApp()];
      const asked = () => front.requests.filter((url) => url.startsWith('links.localhost/')).length;
      const [first] = (await world.call('POST', '/v1/hosts/check', { key: one.keys.live })).body;
      const before = asked();
      const [second] = (await world.call('POST', '/v1/hosts/check', { key: other.keys.live })).body;
      assert.deepEqual([first.host, statesOf(first)], ['links.localhost', statesOf(second)]);
      assert.deepEqual(statesOf(first), {
        dns: 'ok',
        certificate: 'ok',
        association_files: 'ok',
        block_lists: 'ok',
      });
      assert.equal(asked(), before);
    });

    for (const [title, options, message] of [
      ['for another name', { name: 'other.localhost' }, /another name/],
      ['that has expired', { until: '20261001' }, /expired/],
      ['that is self-signed', { isTrusted: false }, /self-signed/],
    ] as const)
      it(`a certificate ${title} is a problem of the certificate alone`, async () => {
        const { app, host } = await newHost();
        front.authorities.length = 0;
        front.certify(host, options);
        const found = await check(app);
        assert.deepEqual(statesOf(found), { ...ALL_OK, certificate: 'problem' });
        assert.match(textOf(found, 'certificate'), message);
      });

    it('an association file that a proxy changes is a problem', async () => {
      const { app, host } = await newHost();
      front.elsewhere.set(host, (path) =>
        path.endsWith('assetlinks.json') ? { status: 301, headers: { location: '/' }, body: '' } : null,
      );
      const found = await check(app);
      assert.deepEqual(statesOf(found), { ...ALL_OK, association_files: 'problem' });
      assert.match(textOf(found, 'association_files'), /assetlinks\.json redirects/);
    });

    it('an association file is read to some times its size: a host may answer with anything', async () => {
      const { app, host } = await newHost();
      const { android: file } = await world.service.hostDirectory.filesAt(host);
      const padded = (spaces: number) => (path: string) =>
        path.endsWith('assetlinks.json')
          ? { status: 200, headers: { 'content-type': 'application/json' }, body: file + ' '.repeat(spaces) }
          : null;
      front.elsewhere.set(host, padded(100_000));
      assert.deepEqual(statesOf(await check(app)), ALL_OK);
      front.elsewhere.set(host, padded(1_000_000));
      const found = await check(app);
      assert.deepEqual(statesOf(found), { ...ALL_OK, association_files: 'problem' });
      assert.match(textOf(found, 'association_files'), /assetlinks\.json differs/);
    });

    it('a change of settings between two looks of a minute is no problem', async () => {
      const { app } = await newHost();
      await check(app);
      const changed = await world.admin('PATCH', `/apps/${app.id}`, { iosBundleId: 'com.example.renamed' });
      assert.equal(changed.status, 200);
      const again = await world.call('POST', '/v1/hosts/check', { key: app.keys.live });
      assert.equal(statesOf(again.body[0]).association_files, 'ok');
    });

    it('a copy that Apple lacks is a problem once it has been missing for two days', async () => {
      const { app, host } = await newHost();
      apple.lacks(host, 'SWCERR00301 Timeout');
      const first = await check(app);
      assert.deepEqual(statesOf(first), { ...ALL_OK, apple_copy: 'unknown' });
      assert.match(textOf(first, 'apple_copy'), /SWCERR00301 Timeout/);
      world.clock.advance(2 * DAY_MS);
      assert.deepEqual(statesOf(await check(app)), { ...ALL_OK, apple_copy: 'problem' });
    });

    it('Google is asked with the host and the relation, and has to name the app', async () => {
      const { app, host } = await newHost();
      google.files.delete(host);
      assert.equal(statesOf(await check(app)).google_verdict, 'unknown');
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).google_verdict, 'problem');
      assert.deepEqual(Object.fromEntries(google.requests.at(-1)?.query ?? []), {
        'source.web.site': `https://${host}`,
        relation: 'delegate_permission/common.handle_all_urls',
      });
    });

    it('a block list that names the host is a problem with its rule, and each list is read once a day, by ETag', async () => {
      const { app, host } = await newHost();
      const reads = () => lists.requests.filter(({ path }) => path === '/adblock.txt');
      world.clock.advance(DAY_MS);
      lists.lists.set('/adblock.txt', `! Title\r\n||${host}^\r\n`);
      const found = await check(app);
      assert.deepEqual(statesOf(found), { ...ALL_OK, block_lists: 'problem' });
      assert.match(textOf(found, 'block_lists'), new RegExp(`adblock\\.txt \\(\\|\\|${host}\\^\\)`));
      assert.doesNotMatch(textOf(found, 'block_lists'), /operators/);
      const before = reads().length;
      await check(app);
      assert.equal(reads().length, before, 'once a day');
      world.clock.advance(DAY_MS);
      assert.deepEqual(statesOf(await check(app)), { ...ALL_OK, block_lists: 'problem' });
      assert.ok(reads().at(-1)?.headers['if-none-match'], 'asked whether it changed');
    });

    it('lists are searched for a host that was just set every two minutes', async () => {
      const { app, host } = await newHost();
      world.clock.advance(DAY_MS);
      lists.lists.set('/adblock.txt', `||next.${host}^`);
      assert.equal(statesOf(await check(app)).block_lists, 'ok');
      front.certify(`next.${host}`);
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: `next.${host}` });
      const soon = await world.call('POST', '/v1/hosts/check', { key: app.keys.live });
      assert.equal(statesOf(soon.body[0]).block_lists, 'unknown');
      assert.equal(statesOf(await check(app)).block_lists, 'problem');
    });

    it('a page or nothing in place of a list takes no host off it', async () => {
      const { app, host } = await newHost();
      const [name = ''] = lists.lists.keys();
      const before = lists.lists.get(name) ?? '';
      lists.lists.set(name, `${before}\n||${host}^`);
      world.clock.advance(DAY_MS);
      await confirmed(app);
      const page = ' \n<!DOCTYPE html><p>We are back soon</p>';
      for (const instead of ['', page, '{"error":"gone"}', '\x1f\x8b\x08 compressed']) {
        lists.lists.set(name, instead);
        world.clock.advance(DAY_MS);
        assert.equal(statesOf(await check(app)).block_lists, 'problem', instead);
      }
      lists.lists.set(name, `${before}\n! of another day`);
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'ok');
      lists.lists.set(name, before);
    });

    it('a list in a syntax that is not read is unknown, rather than one without the host', async () => {
      const { app, host } = await newHost();
      const before = lists.lists.get('/adblock.txt') ?? '';
      lists.lists.set('/adblock.txt', `local=/${host}/\n`);
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'unknown');
      lists.lists.set('/adblock.txt', before);
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'ok');
    });

    it('a list that fails is unknown, after the copy from before has counted for a week', async () => {
      const { app } = await newHost();
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'ok');
      lists.lists.clear();
      world.clock.advance(DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'ok');
      world.clock.advance(7 * DAY_MS);
      assert.equal(statesOf(await check(app)).block_lists, 'unknown');
    });

    it('a host on the Overview of the service: its health names a problem that was told, with its apps', async () => {
      const { app, host } = await newHost();
      front.elsewhere.set(host, () => ({ status: 404, body: '' }));
      await confirmed(app);
      world.clock.advance(2 * MINUTE_MS);
      const failing = async () => {
        const { problems } = (await world.admin('GET', '/health')).body;
        return problems.find(({ code }: { code: string }) => code === 'hosts.failing');
      };
      const found = await failing();
      assert.ok(found?.message.includes(host), found?.message);
      assert.ok(found.apps.some(({ id }: { id: string }) => id === app.id));
      await world.restart({ WATCH_HOSTS: '0' });
      assert.equal(await failing(), undefined, 'of a host that is not looked at any more');
      await world.restart({ WATCH_HOSTS: '1' });
      front.elsewhere.delete(host);
      await check(app);
    });
  });

for (const engine of neutralEngines)
  describe(`hosts that cannot be looked at, on ${engine}`, () => {
    const receiver = useReceiver();
    const away = {
      ...ENV,
      ...{
        PUBLIC_URL: `https://links.localhost:${closedPort}`,
        BLOCK_LISTS: `http://127.0.0.1:${closedPort}/a`,
      },
      APPLE_ASSOCIATION_URL: `http://127.0.0.1:${closedPort}`,
      ASSET_LINKS_URL: `http://127.0.0.1:${closedPort}`,
    };
    const world = useWorld(engine, away);
    liftRateLimits();

    const stopped = async (env: Record<string, string>) => {
      const other = new World(engine, env);
      await other.open();
      try {
        const app = await other.newApp(FIELDS);
        await other.service.hostWatch.turn();
        other.clock.advance(DAY_MS);
        await other.service.hostWatch.turn();
        return (await other.call('POST', '/v1/hosts/check', { key: app.keys.live })).body[0];
      } finally {
        await other.remove();
      }
    };

    it('without a network every state is unknown, for however long, and nobody is told', async () => {
      const app = await world.newApp(FIELDS);
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url });
      for (const _look of [1, 2, 3]) {
        world.clock.advance(3 * DAY_MS);
        const [host] = (await world.call('POST', '/v1/hosts/check', { key: app.keys.live })).body;
        assert.deepEqual([...new Set(host.checks.map(({ state }: { state: string }) => state))], ['unknown']);
        assert.deepEqual([host.state, host.checks.length], ['unknown', 6]);
      }
      await passAttempts(world, [app.id]);
      assert.equal(hook.received.length, 0);
    });

    it('WATCH_HOSTS=0 asks nobody, not even on demand', async () => {
      const asked = [front.requests.length, apple.requests.length, google.requests.length];
      const host = await stopped({ ...ENV, WATCH_HOSTS: '0' });
      assert.deepEqual([host.watching, host.state, host.checks], ['off', 'unknown', []]);
      assert.deepEqual([front.requests.length, apple.requests.length, google.requests.length], asked);
    });

    it('viewers read, editors look; a test key reads', async () => {
      const app = await world.newApp(FIELDS);
      const as = async (role: 'viewer' | 'editor', method: 'GET' | 'POST', path: string) =>
        (await callAs(world, await newUser(world, { appId: app.id, role }), method, path, { appId: app.id }))
          .status;
      assert.deepEqual(
        [
          await as('viewer', 'GET', '/v1/hosts'),
          await as('viewer', 'POST', '/v1/hosts/check'),
          await as('editor', 'POST', '/v1/hosts/check'),
          (await world.call('GET', '/v1/hosts', { key: app.keys.test })).status,
          (await world.call('POST', '/v1/hosts/check', { key: app.keys.test })).status,
        ],
        [200, 403, 200, 200, 401],
      );
    });

    it('the proof is that of this secret, and of nothing but a nonce', async () => {
      const nonce = 'ab'.repeat(16);
      const { body, headers } = await world.call('GET', `/.well-known/throughline?nonce=${nonce}`);
      assert.ok(world.service.secrets.isSigned(`host ${nonce}`, body.proof));
      assert.equal(headers['cache-control'], 'no-store');
      const wrong = await world.call('GET', '/.well-known/throughline?nonce=clipboard');
      assert.equal(wrong.status, 400);
    });
  });

for (const engine of neutralEngines)
  describe(`hosts as the doctor looks at them, on ${engine}`, () => {
    const { authorities } = front;
    const world = useWorld(engine, ENV, { authorities });
    liftRateLimits();
    const host = 'doctor.localhost';
    let app: TestApp;
    before(async () => {
      front.world = world;
      front.certify(host);
      app = await world.newApp({ ...FIELDS, shortLinkHost: host });
      const files = await world.service.hostDirectory.filesAt(host);
      apple.has(host, files.apple.toString());
      google.files.set(host, files.android.toString());
    });
    const examine = async (env: Record<string, string> = {}) => {
      const config = readConfig({ ...ENV, ...world.place.env, ...env });
      return await checkHosts({ db: world.service.db, config, authorities });
    };
    const statuses = async () =>
      Object.fromEntries((await examine()).map(({ check, status }) => [check.slice('host.'.length), status]));

    it('what the daily look finds in order is in order, in the same words', async () => {
      const { body } = await world.call('POST', '/v1/hosts/check', { key: app.keys.live });
      const kept = body[0].checks.filter(({ check }: { check: string }) => check !== 'block_lists');
      assert.equal(kept.length, 5);
      assert.deepEqual(
        (await examine()).map(({ check, status, text }) => [check, status, text]),
        kept.map((one: Record<string, string>) => [`host.${one.check}`, 'ok', `${host}: ${one.message}`]),
      );
    });

    it('a problem is a fault, one that has yet to last a warning, and what follows from another unknown', async () => {
      const ok = { dns: 'ok', certificate: 'ok', association_files: 'ok' };
      front.elsewhere.set(host, (path) =>
        path.endsWith('assetlinks.json') ? { status: 301, headers: { location: '/' }, body: '' } : null,
      );
      apple.lacks(host, 'SWCERR00301 Timeout');
      assert.deepEqual(await statuses(), {
        ...{ ...ok, association_files: 'fault' },
        ...{ apple_copy: 'warning', google_verdict: 'ok' },
      });
      // No service runs with this data folder: what answers in its place is no fault.
      front.elsewhere.set(host, () => ({ status: 502, body: '' }));
      assert.deepEqual(await statuses(), {
        ...{ ...ok, dns: 'warning', association_files: 'unknown' },
        ...{ apple_copy: 'unknown', google_verdict: 'unknown' },
      });
      front.elsewhere.delete(host);
    });

    it('asks nobody about hosts that phones cannot use, nor with WATCH_HOSTS=0', async () => {
      const asked = () => [front.requests.length, apple.requests.length, google.requests.length];
      const before = asked();
      const [local, ...others] = await examine({ PUBLIC_URL: 'http://links.test' });
      assert.deepEqual([local?.status, others], ['warning', []]);
      assert.match(local?.text ?? '', /http:\/\/doctor\.localhost/);
      const off = await examine({ WATCH_HOSTS: '0' });
      assert.deepEqual(
        off.map(({ status }) => status),
        ['unknown'],
      );
      assert.deepEqual(asked(), before);
    });
  });
