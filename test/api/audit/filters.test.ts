/** Filters, order and exports of the audit log, and the names of authors and records. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, isoTime } from '../../../src/lib/clock.ts';
import { callAs, newUser, type TestUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly createdAt: string;
  readonly actor: object;
  readonly resource: { readonly id: string; readonly name: string; readonly exists: boolean };
}

for (const engine of engines)
  describe(`the audit log on ${engine}`, () => {
    const world = useWorld(engine);
    let app: TestApp;
    let ana: TestUser;
    let keyId: string;
    let webhookId: string;
    let renamedAt: string;
    before(async () => {
      app = await world.newApp();
      ana = await newUser(world, { appId: app.id });
      world.clock.advance(2 * DAY_MS);
      const own = { appId: app.id };
      keyId = (await callAs(world, ana, 'POST', '/v1/keys', { ...own, body: { kind: 'live' } })).body.id;
      world.clock.advance(HOUR_MS);
      renamedAt = isoTime(world.clock.nowMs());
      await callAs(world, ana, 'PATCH', '/v1/app', { ...own, body: { name: 'Store' } });
      await world.newLink(app, { shortCode: `audited-${engine}` });
      const webhook = { url: 'https://hooks.slack.com/services/T0/B0/secret', template: 'slack' };
      webhookId = (await world.call('POST', '/v1/webhooks', { key: app.keys.live, body: webhook })).body.id;
    });

    const list = async (query = ''): Promise<Entry[]> => {
      const answer = await world.call('GET', `/v1/audit-log${query}`, { key: app.keys.live });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const actions = async (query: string) => (await list(query)).map(({ action }) => action);

    it('is filtered by author, action, record and time, each with the others', async () => {
      const [, link] = await list();
      const byAna = ['app.updated', 'key.created'];
      const first = [...Array(4).fill('key.created'), 'app.created'];
      for (const [query, expected] of [
        [`?actor=${ana.id}`, byAna],
        [`?actor=${ana.id.toUpperCase()}&action=key`, ['key.created']],
        ['?actor=admin', first],
        ['?actor=service', []],
        ['?action=link,webhook.created', ['webhook.created', 'link.created']],
        ['?action=key.&actor=admin', Array(4).fill('key.created')],
        ['?action=lin', []],
        [`?resource=${keyId}`, ['key.created']],
        [`?resource=${webhookId}&action=webhook`, ['webhook.created']],
        [`?resource=${link?.resource.id}`, ['link.created']],
        [`?from=${renamedAt}`, ['webhook.created', 'link.created', 'app.updated']],
        [`?to=${renamedAt}&actor=${ana.id}`, ['key.created']],
        [`?from=${renamedAt}&to=${renamedAt}`, []],
      ] as const)
        assert.deepEqual(await actions(query), expected, query);
      const key = await list(`?actor=${link && (link.actor as { id: string }).id}`);
      assert.deepEqual(
        key.map(({ action }) => action),
        ['webhook.created', 'link.created'],
      );
      for (const query of [
        '?from=yesterday',
        '?to=2026-02-30T00:00:00Z',
        '?before=x',
        '?order=up',
        '?action=',
      ])
        assertError(
          await world.call('GET', `/v1/audit-log${query}`, { key: app.keys.live }),
          400,
          'request.invalid',
          query.slice(1, query.indexOf('=')),
        );
    });

    it('is read in both orders, in pages', async () => {
      const all = await list();
      const paged: Entry[] = [];
      for (let query = '?limit=3'; paged.length < all.length; query = `?limit=3&before=${paged.at(-1)?.id}`)
        paged.push(...(await list(query)));
      assert.deepEqual(paged, all);
      const upwards = await list('?order=asc&limit=4');
      assert.deepEqual(upwards, all.toReversed().slice(0, 4));
      const rest = await list(`?order=asc&after=${upwards.at(-1)?.id}`);
      assert.deepEqual([...upwards, ...rest], all.toReversed());
    });

    it('names authors and records as they are now, and stays readable without them', async () => {
      const [webhook] = await list('?action=webhook.created');
      const of = { type: 'webhook', id: webhookId, name: 'hooks.slack.com' };
      assert.deepEqual(webhook?.resource, { ...of, exists: true });
      assert.doesNotMatch(JSON.stringify(await list()), /services|B0/);
      const by = { type: 'user', id: ana.id };
      const [renamed] = await list('?action=app.updated');
      assert.deepEqual(renamed?.actor, { ...by, name: 'Ada', email: ana.email });
      assert.deepEqual(renamed?.resource, { type: 'app', id: app.id, name: 'Store', exists: true });
      const [code] = await list('?action=link.created');
      assert.deepEqual([code?.resource.name, code?.resource.exists], [`audited-${engine}`, true]);
      await world.call('DELETE', `/v1/links/audited-${engine}`, { key: app.keys.live });
      await world.call('DELETE', `/v1/webhooks/${webhookId}`, { key: app.keys.live });
      const other = await newUser(world, { appId: app.id });
      await callAs(world, other, 'DELETE', `/v1/users/${ana.id}`, { appId: app.id });
      const [gone] = await list('?action=webhook.created');
      assert.deepEqual(gone?.resource, { ...of, name: 'https://hooks.slack.com/…', exists: false });
      const [stays] = await list(`?actor=${ana.id}`);
      assert.deepEqual(stays?.actor, { ...by, name: null, email: ana.email });
      const [removed] = await list('?action=user.removed');
      assert.deepEqual([removed?.resource.name, removed?.resource.exists], [ana.email, false]);
      assert.equal((await list('?action=link.created'))[0]?.resource.exists, false);
    });

    it('is exported whole, oldest first, as NDJSON and CSV, with the filters', async () => {
      const exported = async (query: string, accept: string) => {
        const answer = await world.call('GET', `/v1/audit-log${query}`, {
          key: app.keys.live,
          headers: { accept },
        });
        assert.equal(answer.headers['content-type'], `${accept}; charset=utf-8`);
        return answer.text.trimEnd().split('\n');
      };
      const lines = await exported('?limit=2', 'application/x-ndjson');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        (await list()).toReversed(),
      );
      const [header, ...rows] = await exported('?action=key.created', 'text/csv');
      assert.equal(
        header,
        'id,action,createdAt,actorType,actorId,actorName,actorEmail,resourceType,resourceId,resourceName,resourceExists,details',
      );
      assert.equal(rows.length, 5);
    });

    it('of the service has sign-ins and new apps, with the same filters and exports, for operators alone', async () => {
      const operator = await newUser(world, { isOperator: true });
      await callAs(world, operator, 'POST', '/v1/admin/apps', { body: { name: 'Theirs' } });
      const read = async (query: string, headers = {}) =>
        await callAs(world, operator, 'GET', `/v1/admin/audit-log${query}`, { headers });
      const [made] = (await read(`?action=app&actor=${operator.id}`)).body as Entry[];
      assert.deepEqual([made?.action, made?.resource.name], ['app.created', 'Theirs']);
      assert.deepEqual((await read('?action=key')).body, []);
      const { text } = await read(`?actor=${operator.id}`, { accept: 'application/x-ndjson' });
      assert.deepEqual(JSON.parse(text), made);
      assert.equal((await callAs(world, await newUser(world), 'GET', '/v1/admin/audit-log')).status, 403);
    });

    it('shows entries about keys, users and invitations to owners alone', async () => {
      const body = { email: 'invited@example.com', role: 'viewer' };
      const inviter = await newUser(world, { appId: app.id });
      const { status } = await callAs(world, inviter, 'POST', '/v1/invitations', { appId: app.id, body });
      assert.equal(status, 201);
      const hidden = (text: string) => /"(?:key|user|invitation)\.|invited@example\.com/.test(text);
      for (const role of ['viewer', 'editor', 'owner'] as const) {
        const user = await newUser(world, { appId: app.id, role });
        const read = async (query: string, accept: string) => {
          const headers = { accept };
          return await callAs(world, user, 'GET', `/v1/audit-log${query}`, { appId: app.id, headers });
        };
        for (const query of ['', `?resource=${keyId}`, '?action=key,user', `?actor=${ana.id}`])
          for (const accept of ['application/json', 'application/x-ndjson']) {
            const answer = await read(query, accept);
            assert.equal(answer.status, 200, answer.text);
            assert.equal(hidden(answer.text), role === 'owner', `${role} ${query} ${accept}`);
          }
        assert.match((await read('', 'application/json')).text, /"app\.updated"/);
      }
    });
  });
