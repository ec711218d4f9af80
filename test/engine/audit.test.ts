import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bootstrap } from '../../src/apps/index.ts';
import { type AppPage, listAuditEntries } from '../../src/audit/list-entries.ts';
import { deleteOldChanges } from '../../src/audit/queries.ts';
import type { Db } from '../../src/db/index.ts';
import { engines } from '../helpers/engines.ts';
import { planOf } from '../helpers/statements.ts';
import { type TestApp, useWorld } from '../helpers/world.ts';

const WEBHOOK = { url: 'https://hooks.example.com/a-token', secret: 'whsec-of-the-receiver', events: [] };

interface Entry {
  readonly action: string;
  readonly details: Record<string, unknown>;
}

for (const engine of engines)
  describe(`changes in the audit log on ${engine}`, () => {
    const world = useWorld(engine);

    const entries = async (app: TestApp, query = '', key = app.keys.live): Promise<Entry[]> => {
      const { status, body, text } = await world.call('GET', `/v1/audit-log${query}`, { key });
      assert.equal(status, 200, text);
      return body;
    };
    const latest = async (app: TestApp) => {
      const [entry] = await entries(app, '?limit=1');
      return [entry?.action, entry?.details] as const;
    };
    const keyIdOf = async (app: TestApp, kind: string): Promise<string> => {
      const { body } = await world.admin('GET', `/apps/${app.id}/keys`);
      return body.find((key: { kind: string }) => key.kind === kind).id;
    };

    it('record the creation and update of an app and its keys, with the names of fields', async () => {
      const app = await world.newApp({ iosAppStoreId: '1', unknown: 1 });
      const created = (await entries(app)).reverse();
      assert.deepEqual(created[0]?.details, {
        recordId: app.id,
        name: 'Test app',
        fields: ['name', 'iosAppStoreId'],
        changedBy: 'admin',
      });
      assert.deepEqual(
        created.map(({ action }) => action),
        ['app.created', ...Array(4).fill('key.created')],
      );
      const keyId = await keyIdOf(app, 'test');
      const ofKey = { recordId: keyId, kind: 'test', name: 'Secret test key', changedBy: 'admin' };
      assert.deepEqual(created.find(({ details }) => details.recordId === keyId)?.details, ofKey);

      const { body: unchanged } = await world.admin('GET', `/apps/${app.id}`);
      for (const time of [1, 2])
        await world.admin('PATCH', `/apps/${app.id}`, { ...unchanged, name: 'Store', x: time });
      const changes = { name: { from: 'Test app', to: 'Store' } };
      assert.deepEqual(await latest(app), [
        'app.updated',
        { recordId: app.id, name: 'Store', changes, changedBy: 'admin' },
      ]);
      assert.equal((await entries(app, '?action=app.updated')).length, 1);
      for (let time = 0; time < 2; time++) await world.admin('DELETE', `/apps/${app.id}/keys/${keyId}`);
      const revoked = await entries(app, '?action=key.revoked');
      assert.deepEqual(
        revoked.map(({ details }) => details),
        [ofKey],
      );
    });

    it('name the key that created, updated and deleted a webhook, without its address or secret', async () => {
      const app = await world.newApp();
      const { live: key } = app.keys;
      const { body: webhook } = await world.call('POST', '/v1/webhooks', { key, body: WEBHOOK });
      const path = `/v1/webhooks/${webhook.id}`;
      const changes = { url: `${WEBHOOK.url}2`, secret: 'another-secret-of-it', events: null };
      await world.call('PATCH', path, { key, body: changes });
      await world.call('DELETE', path, { key });
      const by = { changedBy: 'key', keyId: await keyIdOf(app, 'live') };
      const about = { recordId: webhook.id, address: 'https://hooks.example.com/…' };
      const values = { url: { from: about.address, to: about.address }, secret: {} };
      assert.deepEqual(
        (await entries(app, '?limit=3')).map(({ action, details }) => [action, details]),
        [
          ['webhook.deleted', { ...about, ...by }],
          ['webhook.updated', { ...about, changes: values, ...by }],
          ['webhook.created', { ...about, fields: ['url', 'secret', 'events'], ...by }],
        ],
      );
      assert.doesNotMatch(JSON.stringify(await entries(app)), /token|secret-of|whsec/);
    });

    it('name the key that created, updated and deleted a link, with the values that an update changed', async () => {
      const app = await world.newApp();
      const { live: key } = app.keys;
      const { id: recordId, shortCode } = await world.newLink(app, { metadata: { user: 'jane' } });
      const path = `/v1/links/${shortCode}`;
      await world.call('PATCH', path, { key, body: { campaignId: 'spring', fallbackUrl: null } });
      await world.call('DELETE', path, { key });
      const about = { recordId, shortCode };
      const by = { changedBy: 'key', keyId: await keyIdOf(app, 'live') };
      const [deleted, updated, created] = await entries(app, '?limit=3');
      assert.deepEqual([deleted?.action, deleted?.details], ['link.deleted', { ...about, ...by }]);
      const changes = { campaignId: { from: null, to: 'spring' } };
      const details = { ...about, changes, ...by };
      assert.deepEqual([updated?.action, updated?.details], ['link.updated', details]);
      assert.equal(created?.action, 'link.created');
      assert.match(String(created?.details.fields), /metadata/);
      assert.doesNotMatch(JSON.stringify(await entries(app)), /jane/);
    });

    it('have both values of every changed field of a link, cut at 512 bytes, and no content of objects', async () => {
      const app = await world.newApp();
      const link = { metadata: { user: 'jane' }, deepLinkParams: { card: 'jane' }, expiresInDays: 1 };
      const { shortCode } = await world.newLink(app, { ...link, ogTitle: 'Old', ogDescription: 'Same' });
      const ogDescription = `${'a'.repeat(511)}é`;
      const body = { metadata: {}, deepLinkParams: { card: 1 }, sandbox: true, ogTitle: 'New' };
      const path = `/v1/links/${shortCode}`;
      const { live: key } = app.keys;
      const answer = await world.call('PATCH', path, {
        key,
        body: { ...body, ogDescription, expiresInDays: null, deepLinkPath: '/welcome' },
      });
      assert.equal(answer.status, 200, answer.text);
      const [, { changes = {} } = {}] = await latest(app);
      const { expiresAt, ...rest } = changes as Record<string, Record<string, unknown>>;
      assert.deepEqual(rest, {
        deepLinkParams: {},
        ogTitle: { from: 'Old', to: 'New' },
        ogDescription: { from: 'Same', to: `${'a'.repeat(511)}…` },
        metadata: {},
        sandbox: { from: false, to: true },
      });
      assert.equal(expiresAt?.to, null);
      assert.ok(Date.parse(String(expiresAt?.from)) > world.clock.nowMs());
      assert.doesNotMatch(JSON.stringify(await entries(app)), /jane/);
    });

    it('are listed by link, newest first and in pages, also after its deletion, for its app alone', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { live: key, test } = app.keys;
      const { shortCode } = await world.newLink(app, {}, test);
      await world.newLink(app);
      const path = `/v1/links/${shortCode}`;
      await world.call('PATCH', path, { key, body: { campaignId: shortCode } });
      await world.call('DELETE', path, { key });
      const actionsOf = async (query = '', of = app, by = of.keys.live) =>
        (await entries(of, `?shortCode=${shortCode}${query}`, by)).map(({ action }) => action);
      const all = ['link.deleted', 'link.updated', 'link.created'];
      assert.deepEqual(await actionsOf(), all);
      assert.deepEqual(await actionsOf('', app, test), all);
      assert.deepEqual(await actionsOf('&action=link.updated'), ['link.updated']);
      assert.deepEqual(await actionsOf('&action=key.created'), []);
      const { body } = await world.call('GET', `/v1/audit-log?shortCode=${shortCode}&limit=1`, { key });
      assert.deepEqual(await actionsOf(`&before=${body[0].id}`), all.slice(1));
      assert.deepEqual(await actionsOf('&before=2026-01-01T00:00:00Z'), []);
      assert.deepEqual(await actionsOf('', other), []);
      assert.deepEqual(await entries(app, `?shortCode=${shortCode.slice(0, 4)}`), []);
    });

    it('of a live link are not listed for a test key', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      assert.deepEqual(await entries(app, `?shortCode=${shortCode}`, app.keys.test), []);
    });

    it('name the key that set conversion values', async () => {
      const app = await world.newApp();
      await world.call('PUT', '/v1/skan/conversion-values', { key: app.keys.live, body: { windows: [] } });
      const keyId = await keyIdOf(app, 'live');
      assert.deepEqual(await latest(app), [
        'conversion_values.updated',
        { recordId: app.id, changedBy: 'key', keyId },
      ]);
    });

    it('have no entry for a rejected request', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const { shortCode } = await world.newLink(app, { shortCode: `taken-${app.id.slice(-8)}` });
      const before = [await entries(app), await entries(other)];
      const body = { shortCode, deepLinkPath: '/' };
      const { live: key } = other.keys;
      assert.equal((await world.call('POST', '/v1/links', { key, body })).status, 409);
      const path = `/v1/links/${shortCode}`;
      assert.equal((await world.call('PATCH', path, { key, body: { campaignId: 'x' } })).status, 404);
      assert.equal((await world.call('DELETE', path, { key })).status, 404);
      const bad = { ...WEBHOOK, url: 'http://127.0.0.1/' };
      assert.equal((await world.call('POST', '/v1/webhooks', { key, body: bad })).status, 400);
      assert.equal((await world.admin('PATCH', `/apps/${app.id}`, { urlScheme: 'https' })).status, 400);
      assert.deepEqual([await entries(app), await entries(other)], before);
    });

    it('have one entry for a link sent twice with one idempotency key', async () => {
      const app = await world.newApp();
      const call = { key: app.keys.live, body: { deepLinkPath: '/' }, headers: { 'idempotency-key': 'one' } };
      for (let time = 0; time < 2; time++) await world.call('POST', '/v1/links', call);
      assert.equal((await entries(app, '?action=link.created')).length, 1);
    });

    it('show a test key only the changes of test keys and sandbox links', async () => {
      const app = await world.newApp();
      await world.newLink(app);
      await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: WEBHOOK });
      const { id } = await world.newLink(app, {}, app.keys.test);
      const seen = await entries(app, '', app.keys.test);
      assert.deepEqual(
        seen.map(({ action, details }) => [action, details.recordId]),
        [['link.created', id]],
      );
    });

    it('are deleted by age through an index', async () => {
      const { service } = world;
      const app = await world.newApp();
      const old = { beforeMs: service.clock.nowMs(), limit: 1_000 };
      const plan = await planOf(service.db, async (db: Db) => await deleteOldChanges(db, app.id, old));
      if (engine === 'sqlite') assert.match(plan, /audit_log_of_changes/);
    });

    it('of a link, of an author and of a record are found through an index, in its order', async () => {
      const { db } = world.service;
      const app = await world.newApp();
      const all = { actions: null, actor: null, resource: null, shortCode: null, fromMs: null, toMs: null };
      const page = {
        ...all,
        order: 'desc',
        before: null,
        after: null,
        sandboxOnly: false,
        limit: 10,
      } as const;
      const narrowed: readonly (readonly [RegExp, Partial<AppPage>])[] = [
        [/audit_log_of_links/, { shortCode: 'spring' }],
        [/audit_log_by_actor/, { actor: app.id }],
        [/audit_log_by_record/, { resource: app.id }],
      ];
      for (const [index, narrower] of narrowed) {
        const list = (spied: Db) => listAuditEntries(spied, app.id, { ...page, ...narrower });
        const plan = await planOf(db, list);
        assert.match(plan, index);
        assert.doesNotMatch(plan, /sort|temp b-tree/i);
      }
    });
  });

for (const engine of engines)
  describe(`the first start in the audit log on ${engine}`, () => {
    const world = useWorld(engine);

    it('is recorded as the author of the first app and its keys', async () => {
      const first = await bootstrap(world.service);
      assert.ok(first);
      const { body } = await world.call('GET', '/v1/audit-log', { key: first.keys.live });
      assert.deepEqual(
        body.map(({ action, details }: Entry) => [action, details.changedBy]),
        [...Array(4).fill(['key.created', 'first_start']), ['app.created', 'first_start']],
      );
    });
  });
