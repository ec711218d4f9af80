/** Erasing or exporting one of several people with shared addresses or devices leaves the others unchanged. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { newMarker, RECORDS, whereKept } from '../../helpers/erasure-scene.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { queryStored } from '../../helpers/stored.ts';
import {
  freshAddress,
  IPHONE_FINGERPRINT,
  PIXEL,
  type TestApp,
  useWorld,
  type World,
} from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

/** A person whose records carry a unique marker. */
class Somebody {
  readonly marker = newMarker();
  readonly userId = `user ${this.marker}`;
  readonly #world: World;
  readonly #app: TestApp;
  readonly #key: string;

  constructor(world: World, app: TestApp, key = app.keys.live_publishable) {
    this.#world = world;
    this.#app = app;
    this.#key = key;
  }

  /** Taps a link. */
  async click(from: string): Promise<string> {
    const key = this.#key.startsWith('svc_test_') ? this.#app.keys.test : this.#app.keys.live;
    const { shortCode } = await this.#world.newLink(this.#app, PLAY, key);
    return await this.#world.clickId(shortCode, {
      from,
      headers: { 'user-agent': `${PIXEL} ${this.marker}` },
    });
  }

  async install(from: string, body: object = {}): Promise<string> {
    return (await this.#sdk('install', from, { ...body, fingerprint: this.#fingerprint })).installId;
  }

  async identify(installId: string, userId = this.userId): Promise<void> {
    await this.#sdk('identify', '198.51.100.1', { installId, userId });
  }

  async open(from: string, body: object = {}): Promise<string> {
    return (await this.#sdk('open', from, { ...body, fingerprint: this.#fingerprint })).openId;
  }

  async event(installId: string, body: object = {}): Promise<string> {
    const properties = { note: this.marker };
    const event = { installId, eventName: 'level', properties, ...body };
    return (await this.#sdk('event', '198.51.100.1', event)).eventId;
  }

  /** An install that named a click, is identified, opened the app by another click and sent an event. */
  async wholePhone(from: string, userId = this.userId): Promise<string> {
    const installId = await this.install(from, { clickId: await this.click(from) });
    await this.identify(installId, userId);
    await this.open(from, { installId, clickId: await this.click(from) });
    await this.event(installId);
    return installId;
  }

  get #fingerprint() {
    return { ...IPHONE_FINGERPRINT, userAgent: `Shop ${this.marker}`, deviceModel: this.marker };
  }

  async #sdk(path: string, from: string, body: object) {
    const answer = await this.#world.call('POST', `/v1/sdk/${path}`, { key: this.#key, from, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  }
}

/** Every stored record with a person's marker. */
async function rowsWith(world: World, { marker }: Somebody): Promise<string[]> {
  await world.service.clickLog.applied();
  const rows = [];
  for (const table of RECORDS)
    for (const row of await queryStored(world.place, `select * from ${table} order by id`))
      if (JSON.stringify(row).includes(marker)) rows.push(JSON.stringify(row));
  return rows;
}

async function exported(world: World, app: TestApp, body: object, key = app.keys.live): Promise<string> {
  const answer = await world.call('POST', '/v1/privacy/export', { key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

async function assertGone(world: World, ...people: Somebody[]): Promise<void> {
  await world.service.clickLog.applied();
  const texts = people.map(({ marker }) => marker);
  assert.deepEqual(await whereKept(world.place, texts), []);
}

for (const engine of engines)
  describe(`people with shared addresses or devices on ${engine}`, () => {
    const world = useWorld(engine);

    for (const identifiers of ['userId', 'both'] as const)
      it(`by ${identifiers}: records of identified others at the user’s address stay, unidentified ones are exported and erased`, async () => {
        const app = await world.newApp();
        const shared = freshAddress();
        const [user, linked, named, nobody] = people(world, app, 4);
        await user.wholePhone(shared);
        await linked.wholePhone(shared);
        const install = await named.install(shared, { clickId: await named.click(shared) });
        await named.event(install, { userId: named.userId });
        const { userId } = named;
        await named.open(shared, { installId: install, userId, clickId: await named.click(shared) });
        await named.open(shared, { userId });
        const neighbour = await nobody.install(shared);
        const event = await nobody.event(neighbour);
        await nobody.click(shared);
        const strangers = async () => [await rowsWith(world, linked), await rowsWith(world, named)];
        const before = await strangers();
        assert.deepEqual(
          before.map((rows) => rows.length),
          [5, 6],
        );

        const who = { userId: user.userId, ...(identifiers === 'both' && { ipAddress: shared }) };
        const text = await exported(world, app, who);
        for (const { marker } of [linked, named])
          assert.ok(!text.includes(marker), 'the export contains another person');
        assert.ok(text.includes(user.marker) && text.includes(neighbour));
        // Only an erasure by address includes the installs there, with all their records.
        assert.equal(text.includes(event), identifiers === 'both');

        await erase(world, app, who);
        assert.deepEqual(await strangers(), before);
        await assertGone(world, user, nobody);
      });

    for (const identifiers of ['userId', 'both'] as const)
      it(`by ${identifiers}: a device at the user’s address with another user in an open stays that user’s`, async () => {
        const app = await world.newApp();
        const shared = freshAddress();
        const [user, other] = people(world, app, 2);
        await user.wholePhone(shared);
        const phone = await other.install(shared, { clickId: await other.click(shared) });
        await other.open(freshAddress(), { installId: phone, userId: other.userId });
        await other.event(phone);
        const before = await rowsWith(world, other);
        assert.equal(before.length, 4);

        const who = { userId: user.userId, ...(identifiers === 'both' && { ipAddress: shared }) };
        assert.ok(
          !(await exported(world, app, who)).includes(other.marker),
          'the export contains another person',
        );
        await erase(world, app, who);
        assert.deepEqual(await rowsWith(world, other), before);
        await assertGone(world, user);
      });

    it('by ipAddress alone: all records of the address are erased', async () => {
      const app = await world.newApp();
      const shared = freshAddress();
      const [user, other] = people(world, app, 2);
      await user.wholePhone(shared);
      await other.wholePhone(shared);
      await erase(world, app, { ipAddress: shared });
      await assertGone(world, user, other);
    });

    it('all devices of a user are found, with their claims and records at other addresses', async () => {
      const app = await world.newApp();
      const [user] = people(world, app, 1);
      await user.wholePhone(freshAddress());
      const home = freshAddress();
      await user.click(home);
      await user.wholePhone(home);
      const away = { clickId: await user.click(freshAddress()) };
      await user.identify(await user.install(freshAddress(), away));
      const { userId } = user;
      await user.open(freshAddress(), { userId, clickId: await user.click(freshAddress()) });
      await user.event(await user.install(freshAddress()), { userId });
      await user.open(freshAddress(), { userId, installId: await user.install(freshAddress()) });
      await erase(world, app, { userId });
      await assertGone(world, user);
    });

    for (const identifiers of ['userId', 'ipAddress'] as const)
      it(`by ${identifiers}: an install identified later is erased with its earlier events and opens, and a click claimed elsewhere`, async () => {
        const app = await world.newApp();
        const [user, stranger] = people(world, app, 2);
        const [ipAddress, elsewhere] = [freshAddress(), freshAddress()];
        const installId = await user.install(ipAddress);
        await user.event(installId);
        const clickId = await user.click(elsewhere);
        await user.open(freshAddress(), { installId, clickId });
        await stranger.wholePhone(elsewhere);
        const before = await rowsWith(world, stranger);
        await user.identify(installId);
        const who = { userId: { userId: user.userId }, ipAddress: { ipAddress } }[identifiers];
        assert.ok((await exported(world, app, who)).includes(clickId), 'the export lacks the click');
        await erase(world, app, who);
        await assertGone(world, user);
        assert.deepEqual(await rowsWith(world, stranger), before);
      });

    for (const linkedTo of ['nobody', 'the other'] as const)
      it(`one of two users of a device that is linked to ${linkedTo} is erased and the other stays`, async () => {
        const app = await world.newApp();
        const [user, other] = people(world, app, 2);
        const phone = await (linkedTo === 'nobody' ? user : other).install(freshAddress());
        if (linkedTo === 'the other') await other.identify(phone);
        for (const one of [user, other]) {
          const { userId } = one;
          await one.event(phone, { userId });
          await one.open(freshAddress(), {
            userId,
            installId: phone,
            clickId: await one.click(freshAddress()),
          });
        }
        const before = await rowsWith(world, other);
        assert.ok(!(await exported(world, app, { userId: user.userId })).includes(other.marker));
        await erase(world, app, { userId: user.userId });
        await assertGone(world, user);
        assert.deepEqual(await rowsWith(world, other), before);
        await erase(world, app, { userId: other.userId });
        await assertGone(world, other);
      });

    it('a test key erases sandbox records only, and a live key both', async () => {
      const app = await world.newApp();
      const ipAddress = freshAddress();
      const live = new Somebody(world, app);
      const sandbox = new Somebody(world, app, app.keys.test_publishable);
      const userId = `user ${newMarker()}`;
      const phone = await live.wholePhone(ipAddress, userId);
      await sandbox.wholePhone(ipAddress, userId);
      await live.event(phone, { userId });
      const before = await rowsWith(world, live);

      const who = { userId, ipAddress };
      const text = await exported(world, app, who, app.keys.test);
      assert.ok(text.includes(sandbox.marker) && !text.includes(phone));
      await eraseWith(world, { key: app.keys.test, app, who });
      await assertGone(world, sandbox);
      assert.deepEqual(await rowsWith(world, live), before);
      await erase(world, app, who);
      await assertGone(world, live);
    });

    it('the same user and address in another app are unchanged', async () => {
      const [app, elsewhere] = [await world.newApp(), await world.newApp()];
      const ipAddress = freshAddress();
      const [user] = people(world, app, 1);
      const [same] = people(world, elsewhere, 1);
      await user.wholePhone(ipAddress);
      await same.wholePhone(ipAddress, user.userId);
      const before = await rowsWith(world, same);
      await erase(world, app, { ipAddress, userId: user.userId });
      assert.deepEqual(await rowsWith(world, same), before);
      const { length } = (await rowsWith(world, user)).filter((row) => !before.includes(row));
      assert.equal(length, 0);
    });

    for (const order of ['address first', 'user first', 'both pending', 'one request'] as const)
      it(`${order}: no data remains of a person with devices at several addresses`, async () => {
        const app = await world.newApp();
        const [user] = people(world, app, 1);
        const { userId } = user;
        const [here, there, third] = [freshAddress(), freshAddress(), freshAddress()];
        await user.wholePhone(here);
        const second = await user.wholePhone(there);
        await user.event(second, { userId });
        await user.open(here, { userId, installId: second, clickId: await user.click(third) });
        await user.event(await user.install(here), { userId });
        await user.open(there, { installId: await user.install(here), clickId: await user.click(third) });
        await user.click(here);
        await user.click(there);

        const requests = {
          'address first': [{ ipAddress: here }, { userId }],
          'user first': [{ userId }, { ipAddress: here }],
          'both pending': [{ ipAddress: here }, { userId }],
          'one request': [{ userId, ipAddress: here }],
        }[order];
        if (order === 'both pending') await Promise.all(requests.map((body) => erase(world, app, body)));
        else for (const body of requests) await erase(world, app, body);
        await assertGone(world, user);
      });
  });

type People = [Somebody, Somebody, Somebody, Somebody];
function people(world: World, app: TestApp, count: number): People {
  return Array.from({ length: count }, () => new Somebody(world, app)) as People;
}

async function eraseWith(world: World, { key, app, who }: { key: string; app: TestApp; who: object }) {
  await erase(world, { ...app, keys: { ...app.keys, live: key } }, who);
}
