/** What is left of an inviter that was erased or deleted: links that lead where they led, and numbers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Engine, engines } from '../../helpers/engines.ts';
import { erase } from '../../helpers/privacy-scene.ts';
import { assertError } from '../../helpers/shapes.ts';
import { followLink, newInvitingApp, newShareLink, share } from '../../helpers/share-links.ts';
import { queriesStored, queryStored } from '../../helpers/stored.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { newWebhook } from '../../helpers/webhooks.ts';
import { DESKTOP, freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

const COLUMNS: Readonly<Record<Engine, string>> = {
  sqlite: `select m.name as t, c.name as c from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%'`,
  postgres: `select relname as t, attname as c from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped`,
};

/** Where the id of an erased install stays: on the row itself, which has no person any more, and in the day's usage. */
const KEPT = new Set(['installs.id', 'installs.answer', 'daily_usage.subject']);

for (const engine of engines)
  describe(`forgotten inviters on ${engine}`, { concurrency: true }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();

    const get = async (app: TestApp, path: string) =>
      (await world.call('GET', path, { key: app.keys.live })).body;

    /** An inviter with a user, a link with a card, and an install and an open by it that a webhook was told. */
    async function newScene() {
      const app = await newInvitingApp(world);
      const hook = receiver.newHook();
      const events = ['install.attributed', 'open.direct'];
      const { id: webhookId } = await newWebhook(world, app, { url: hook.url, events });
      const sdk = (path: string, body: object) =>
        world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, body, from: freshAddress() });
      const newUser = async () => {
        const { installId } = (await sdk('install', { fingerprint: { platform: 'ANDROID' } })).body;
        const userId = `user ${randomUUID()}`;
        await sdk('identify', { installId, userId });
        return { installId: installId as string, userId };
      };
      const inviter = await newUser();
      const name = `anna-${randomUUID()}`;
      const card = { ogTitle: name, ogDescription: name, ogImage: `https://example.com/${name}` };
      const shortCode = await newShareLink(world, app, inviter.installId, card);
      const invited = (await followLink(world, app, shortCode)).installId as string;
      const other = await newUser();
      const opening = { shortCode, openId: randomUUID(), installId: other.installId };
      await sdk('resolve', { ...opening, fingerprint: { platform: 'ANDROID' } });
      assert.equal((await hook.envelope()).data.invitedBy, inviter.installId);
      const listed = await get(app, '/v1/installs');
      assert.equal(
        listed.filter(({ invitedBy }: { invitedBy: string }) => invitedBy === inviter.installId).length,
        2,
      );
      return { app, webhookId, inviter, invited, other, shortCode, name };
    }
    type Scene = Awaited<ReturnType<typeof newScene>>;

    /** The columns that have a text, of all tables. */
    async function placesOf(text: string): Promise<string[]> {
      const columns = await queryStored(world.place, COLUMNS[engine]);
      const tables = [...Map.groupBy(columns, ({ t }) => String(t))];
      // A statement for each table.
      const found = await queriesStored(
        world.place,
        tables.map(([table, ofTable]) => {
          const counts = ofTable.map(
            ({ c }) => `count(case when cast("${c}" as text) like '%${text}%' then 1 end) as "${c}"`,
          );
          return `select ${counts.join(', ')} from "${table}"`;
        }),
      );
      return tables.flatMap(([table], index) =>
        Object.entries(found[index]?.[0] ?? {}).flatMap(([column, n]) =>
          Number(n) > 0 ? [`${table}.${column}`] : [],
        ),
      );
    }

    const inviterGroups = async (app: TestApp) => {
      const { groups, other } = await get(app, '/v1/stats?groupBy=inviter&sort=installs');
      return { keys: groups.map(({ key }: { key: string }) => key), groups, other };
    };

    async function assertForgotten({ app, inviter, invited, other, shortCode, webhookId }: Scene) {
      const link = await get(app, `/v1/links/${shortCode}`);
      assert.deepEqual(
        [link.metadata, link.ogTitle, link.ogDescription, link.ogImage],
        [{}, null, null, null],
      );
      const tapped = await world.tap(shortCode, { userAgent: DESKTOP });
      assert.equal(tapped.headers.location, 'https://example.com/get');
      for (const id of [invited, other.installId])
        assert.equal((await get(app, `/v1/installs/${id}`)).invitedBy, null);
      const retried = await world.install(app, { installId: invited, fingerprint: { platform: 'ANDROID' } });
      assert.deepEqual(retried.body.metadata, {}, 'nor does a retry name it');
      const deliveries = await get(app, `/v1/webhooks/deliveries?webhook_id=${webhookId}`);
      const bodies = deliveries.map(({ request_body }: { request_body: string }) => JSON.parse(request_body));
      assert.deepEqual(
        bodies.map(({ data }: { data: { invitedBy: unknown } }) => data.invitedBy),
        [null, null],
      );
      const { keys, groups, other: others } = await inviterGroups(app);
      assert.ok(!keys.includes(inviter.installId));
      assert.deepEqual([others.installs, others.directOpens], [1, 1], JSON.stringify(groups));
      const later = await followLink(world, app, shortCode);
      assert.deepEqual([later.attributed, later.metadata], [true, {}]);
      assert.equal((await inviterGroups(app)).other.installs, 2, 'the numbers of its links stay together');
      assertError(await share(world, app, { installId: inviter.installId }), 404, 'install.erased');
    }

    it('an erased inviter is in no record of those whom it invited, and its links lead where they led', async () => {
      const scene = await newScene();
      const { app, inviter, name } = scene;
      assert.ok((await inviterGroups(app)).keys.includes(inviter.installId));
      await erase(world, app, { userId: inviter.userId });
      await assertForgotten(scene);
      const places = await placesOf(inviter.installId);
      assert.deepEqual(
        places.filter((place) => !KEPT.has(place)),
        [],
      );
      assert.deepEqual(await placesOf(name), []);
    });

    it('a deleted inviter is forgotten in the same way', async () => {
      const scene = await newScene();
      const { app, inviter } = scene;
      await inviterGroups(app);
      const path = `/v1/installs/${inviter.installId}`;
      assert.equal((await world.call('DELETE', path, { key: app.keys.live })).status, 204);
      await assertForgotten(scene);
    });

    it('an erased install is not among those that were invited', async () => {
      const { app, inviter, other } = await newScene();
      await erase(world, app, { userId: other.userId });
      const { invitedBy } = await get(app, `/v1/installs/${other.installId}`);
      assert.equal(invitedBy, null);
      assert.ok((await inviterGroups(app)).keys.includes(inviter.installId));
    });

    it('an export has the links that the person shared, and none of others', async () => {
      const { app, inviter, other, shortCode, name } = await newScene();
      const exported = async (userId: string) =>
        (await world.call('POST', '/v1/privacy/export', { key: app.keys.live, body: { userId } })).body;
      const { shareLinks, ...records } = await exported(inviter.userId);
      assert.deepEqual(Object.keys(records), ['clicks', 'installs', 'events', 'openEvents']);
      assert.equal(shareLinks.length, 1);
      const { installId, ogTitle } = shareLinks[0];
      assert.deepEqual([shareLinks[0].shortCode, installId, ogTitle], [shortCode, inviter.installId, name]);
      assert.equal((await exported(other.userId)).shareLinks, undefined);
    });
  });
