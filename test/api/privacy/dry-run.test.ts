/** Before an erasure: what it will erase, whom else it touches, and leaving these out. After it: the list of requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countPerson } from '../../../src/privacy/count-person.ts';
import { IPHONE, IPHONE_FINGERPRINT } from '../../helpers/callers.ts';
import { engines } from '../../helpers/engines.ts';
import { erase, newPerson, type Person, rowsOf } from '../../helpers/privacy-scene.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, type TestApp, useWorld, type World } from '../../helpers/world.ts';

const NOTHING = {
  ...{ clicks: 0, installs: 0, events: 0, openEvents: 0 },
  ...{ webhookMessages: 0, waitingPurchases: 0 },
};

/** A known user, and at the same address an install with an event and a click of nobody known. */
async function newNeighbours(world: World, app: TestApp): Promise<Person> {
  const person = await newPerson(world, app);
  const { ipAddress: from } = person;
  const sdk = async (path: string, body: object) =>
    (await world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, from, body })).body;
  const fingerprint = {
    ...IPHONE_FINGERPRINT,
    userAgent: 'Shop/7 (another iPhone)',
    deviceModel: 'iPhone9,1',
  };
  const { installId } = await sdk('install', { fingerprint });
  await sdk('event', { installId, eventName: 'level', properties: { note: 'of a stranger' } });
  await world.tap((await world.newLink(app)).shortCode, { from, userAgent: IPHONE });
  return person;
}

for (const engine of engines)
  describe(`the dry run of an erasure on ${engine}`, () => {
    const world = useWorld(engine);
    const ask = async (app: TestApp, body: object) => {
      const answer = await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const list = (app: TestApp, query = '', key = app.keys.live) =>
      world.call('GET', `/v1/privacy/erase${query}`, { key });
    const everything = async (app: TestApp) =>
      await Promise.all(
        (['clicks', 'installs', 'opens', 'events'] as const).map((table) => rowsOf(world, app, table)),
      );

    it('counts by kind, tells what is of nobody known, and changes nothing but the audit log', async () => {
      const app = await world.newApp();
      const { userId, ipAddress } = await newNeighbours(world, app);
      await world.service.clickLog.applied();
      const before = await everything(app);
      const answer = await ask(app, { userId, dryRun: true, requesterEmail: 'dpo@example.com' });
      assert.deepEqual(answer, {
        counts: { ...NOTHING, clicks: 2, installs: 2, events: 2, openEvents: 1 },
        shared: { ...NOTHING, clicks: 1, installs: 1, events: 1 },
        isComplete: true,
      });
      assert.deepEqual(await ask(app, { ipAddress, dryRun: true }), answer);
      assert.deepEqual(await everything(app), before);
      assert.deepEqual((await list(app)).body, []);
      const log = await world.call('GET', '/v1/audit-log?action=privacy.erasure_counted', {
        key: app.keys.live,
      });
      assert.equal(log.body.length, 2);
      assert.deepEqual(log.body[1].details.identifiers, ['userId']);
      assert.equal(log.body[1].details.requesterEmail, 'dpo@example.com');
      assert.ok(!log.text.includes(userId) && !log.text.includes(ipAddress));
    });

    it('finds nothing of a user whom nobody has seen', async () => {
      const app = await world.newApp();
      assert.deepEqual(await ask(app, { userId: 'unseen', dryRun: true }), {
        ...{ counts: NOTHING, shared: NOTHING, isComplete: true },
      });
    });

    it('counts the purchases that wait for the user, as the erasure does', async () => {
      const authorization = 'Bearer of the tests, 24 or more';
      const app = await world.newApp({ revenuecatAuthorization: authorization });
      for (const [id, app_user_id] of ['ada', 'ada', 'bob'].entries())
        await world.call('POST', `/v1/integrations/revenuecat/${app.id}`, {
          headers: { authorization },
          body: { event: { id: `event ${id}`, type: 'RENEWAL', app_user_id } },
        });
      const { counts, shared } = await ask(app, { userId: 'ada', dryRun: true, spareShared: true });
      assert.deepEqual([counts, shared], [{ ...NOTHING, waitingPurchases: 2 }, NOTHING]);
      await erase(world, app, { userId: 'ada' });
      assert.deepEqual((await list(app)).body[0].counts, counts);
      assert.deepEqual((await ask(app, { userId: 'ada', dryRun: true })).counts, NOTHING);
    });

    it('at an address without a known user, nothing is of another person', async () => {
      const app = await world.newApp();
      const ipAddress = freshAddress();
      await world.install(app, {}, { from: ipAddress });
      const { counts, shared } = await ask(app, { ipAddress, dryRun: true, spareShared: true });
      assert.deepEqual([counts, shared], [{ ...NOTHING, installs: 1 }, NOTHING]);
      await erase(world, app, { ipAddress, spareShared: true });
      assert.equal((await rowsOf(world, app, 'installs'))[0]?.ip_hash, null);
    });

    it('takes a click that is in the journal only, and spareShared leaves it and later ones whole', async () => {
      const app = await world.newApp();
      const { userId, ipAddress: from } = await newPerson(world, app);
      const { shortCode } = await world.newLink(app);
      await world.tap(shortCode, { from, userAgent: IPHONE });
      const { counts, shared } = await ask(app, { userId, dryRun: true });
      assert.deepEqual([counts.clicks, shared.clicks], [2, 1]);
      await world.tap(shortCode, { from, userAgent: IPHONE });
      await erase(world, app, { userId, spareShared: true });
      const clicks = await rowsOf(world, app, 'clicks');
      assert.deepEqual(
        clicks.map(({ ip_hash }) => ip_hash !== null),
        [false, true, true],
      );
      // One of another journal would be stored without the address if there were a tombstone.
      const tombstones = await world.service.db
        .selectFrom('erased_addresses')
        .select('address_mark')
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(tombstones, []);
    });

    it('says that there is more, if it cannot count all in time', async () => {
      const app = await world.newApp();
      const { userId } = await newPerson(world, app);
      const actor = { appId: app.id, mode: 'live', kind: 'secret', keyId: app.id } as never;
      const counted = await countPerson(world.service, { actor, input: { userId } }, -1);
      assert.deepEqual(counted, { counts: NOTHING, shared: NOTHING, isComplete: false });
    });

    it('requests are listed newest first, with status and counts, without what was asked for', async () => {
      const app = await world.newApp();
      const { userId, ipAddress } = await newNeighbours(world, app);
      await erase(world, app, { userId, spareShared: true });
      const [first] = (await list(app)).body;
      assert.equal(first.status, 'completed');
      assert.deepEqual([first.identifiers, first.spareShared], [['userId'], true]);
      assert.deepEqual(first.counts, { ...NOTHING, clicks: 1, installs: 1, events: 1, openEvents: 1 });
      await erase(world, app, { ipAddress, userId: 'nobody' });
      const all = await list(app);
      assert.deepEqual(
        all.body.map(({ identifiers }: { identifiers: string[] }) => identifiers.length),
        [2, 2, 1],
      );
      assert.equal(all.body[2].id, first.id);
      assert.ok(!all.text.includes(userId) && !all.text.includes(ipAddress));
      assert.equal((await list(app, '?limit=1')).body[0].id, all.body[0].id);
      assert.deepEqual((await list(app, `?before=${all.body[1].id}`)).body, [all.body[2]]);
      assert.deepEqual((await list(app, '', app.keys.test)).body, []);
      assert.deepEqual((await list(await world.newApp())).body, []);
      assertError(await list(app, '?before=x'), 400, 'request.invalid', /before must be/);
    });

    it('says for how many days records are kept', async () => {
      const app = await world.newApp();
      const kept = async () =>
        (await world.call('GET', '/v1/privacy/retention', { key: app.keys.test })).body;
      const { clickRetentionDays: clicks, webhookRetentionDays: webhookMessages } = world.service.config;
      assert.deepEqual(await kept(), {
        clicks,
        installs: null,
        openEvents: null,
        events: null,
        webhookMessages,
      });
    });
  });
