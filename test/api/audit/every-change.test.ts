/** Whatever changes something is in an audit log, or says here why it is not. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { makeSetupAddress } from '../../../src/accounts/index.ts';
import { ACTIONS, SERVICE_ACTIONS } from '../../../src/audit/actions.ts';
import { callAs, hashOf, newUser, PASSWORD, signIn, type TestUser } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { operationsOf } from '../../helpers/operations.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { type Answer, type TestApp, useWorld } from '../../helpers/world.ts';

const SDK = 'Records of people are no changes of the app; webhooks and lists tell of them.';
const PHONES = 'Phones and networks report; nobody of the app acts.';

/** Operations that change something and are in no log, each with its reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'HEAD /l/{shortCode}': 'A tap is a click, which is a record.',
  'POST /l/{shortCode}/signals': PHONES,
  'POST /.well-known/skadnetwork/report-attribution': PHONES,
  'POST /.well-known/appattribution/report-attribution': PHONES,
  'POST /v1/skan/postbacks': PHONES,
  'POST /v1/integrations/revenuecat/{appId}': SDK,
  'POST /v1/debug/attribution': 'It records nothing.',
  'POST /v1/hosts/check': 'It looks at what is there, as each day, and changes nothing.',
  'POST /v1/destinations/{destinationId}/preview': 'It sends nothing.',
  'POST /v1/sdk/links': 'A link by the app says which install made it; users make many.',
  'POST /v1/sdk/install': SDK,
  'POST /v1/sdk/installs': SDK,
  'POST /v1/sdk/open': SDK,
  'POST /v1/sdk/opens': SDK,
  'POST /v1/sdk/resolve': SDK,
  'POST /v1/sdk/event': SDK,
  'POST /v1/sdk/events': SDK,
  'POST /v1/sdk/identify': SDK,
  'DELETE /v1/session': 'Signing out takes nothing from anybody.',
  'POST /v1/invitations/read': 'It reads an invitation.',
  'POST /v1/password-resets': 'Anybody may ask for a mail; the use of its address is in the log.',
};

/** Entries that another test sees. */
const ELSEWHERE: Readonly<Record<string, readonly [action: string, test: string]>> = {
  'POST /v1/imports': ['links.imported', 'test/engine/links/imports.test.ts'],
  'POST /v1/admin/apps/{appId}/imports': ['links.imported', 'test/engine/links/imports.test.ts'],
  'DELETE /v1/imports/{id}': ['import.ended', 'test/engine/links/imports.test.ts'],
  'DELETE /v1/admin/apps/{appId}/imports/{id}': ['import.ended', 'test/engine/links/imports.test.ts'],
  'POST /v1/destinations/{destinationId}/test': [
    'destination.tested',
    'test/api/webhooks/destination-calls.test.ts',
  ],
  'POST /v1/destinations/{destinationId}/recovery': [
    'destination.recovered',
    'test/api/webhooks/destination-calls.test.ts',
  ],
  'POST /v1/destinations/deliveries/{attemptId}/redelivery': [
    'destination.redelivered',
    'test/api/webhooks/destination-calls.test.ts',
  ],
  'POST /v1/webhooks/{webhookId}/recovery': ['webhook.recovered', 'test/api/webhooks/recovery.test.ts'],
};

for (const engine of neutralEngines)
  describe(`every change on ${engine}`, () => {
    const world = useWorld(engine, { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
    liftRateLimits();
    let app: TestApp;
    let owner: TestUser;
    let operator: TestUser;
    before(async () => {
      app = await world.newApp();
      owner = await newUser(world, { appId: app.id });
      operator = await newUser(world, { isOperator: true });
    });

    type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
    const key = (method: Method, path: string, body?: object) =>
      world.call(method, path, { key: app.keys.live, ...(body !== undefined && { body }) });
    const own = (method: Method, path: string, body?: object, user = owner) =>
      callAs(world, user, method, path, { appId: app.id, ...(body !== undefined && { body }) });
    const admin = (method: Method, path: string, body?: object) =>
      callAs(world, operator, method, `/v1/admin${path}`, { ...(body !== undefined && { body }) });
    const made = async (answer: Promise<Answer>) => (await answer).body as Record<string, string>;
    const installed = async () => (await world.install(app)).body.installId as string;
    const webhook = () =>
      made(key('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/hook', secret: 'a-secret-of-it' }));
    const segment = { type: 'segment', name: 'Segment', config: { writeKey: 'a-secret-of-it' } };
    const destination = () => made(key('POST', '/v1/destinations', segment));
    const newKey = () => made(own('POST', '/v1/keys', { kind: 'test' }));
    const cost = () => ({
      date: '2026-11-01',
      campaignId: crypto.randomUUID(),
      cost: { amount: '1.00', currency: 'EUR' },
    });
    const invited = async () => {
      const email = `${crypto.randomUUID()}@example.com`;
      return await made(own('POST', '/v1/invitations', { email, role: 'viewer' }));
    };
    const withPassword = async () => {
      const user = await newUser(world, { appId: app.id, role: 'viewer' });
      const password_hash = await hashOf(world, PASSWORD);
      await world.service.db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
      return user;
    };
    const tokenOf = (url = '') => new URL(url).hash.slice(1);
    const resetToken = async (id: string) =>
      tokenOf((await made(admin('POST', `/users/${id}/password-reset`))).url);

    /** By operation: the action of its entry, and a call that makes one. */
    const AUDITED: Readonly<Record<string, readonly [action: string, call: () => Promise<Answer>]>> = {
      'POST /v1/links': ['link.created', () => key('POST', '/v1/links', { deepLinkPath: '/' })],
      'PATCH /v1/links/{shortCode}': [
        'link.updated',
        async () => key('PATCH', `/v1/links/${(await world.newLink(app)).shortCode}`, { campaignId: 'new' }),
      ],
      'DELETE /v1/links/{shortCode}': [
        'link.deleted',
        async () => key('DELETE', `/v1/links/${(await world.newLink(app)).shortCode}`),
      ],
      'POST /v1/links/batch': [
        'link.created',
        () => key('POST', '/v1/links/batch', { links: [{ deepLinkPath: '/' }] }),
      ],
      'PATCH /v1/links/batch': [
        'link.updated',
        async () => {
          const { shortCode } = await world.newLink(app);
          return await key('PATCH', '/v1/links/batch', { links: [{ shortCode, campaignId: 'new' }] });
        },
      ],
      'POST /v1/links/deletions': [
        'link.deleted',
        async () =>
          key('POST', '/v1/links/deletions', { shortCodes: [(await world.newLink(app)).shortCode] }),
      ],
      'DELETE /v1/installs/{installId}': [
        'installs.deleted',
        async () => key('DELETE', `/v1/installs/${await installed()}`),
      ],
      'POST /v1/installs/deletions': [
        'installs.deleted',
        async () => key('POST', '/v1/installs/deletions', { installIds: [await installed()] }),
      ],
      'POST /v1/admin/apps/{appId}/installs/deletions': [
        'installs.deleted',
        async () => admin('POST', `/apps/${app.id}/installs/deletions`, { installIds: [await installed()] }),
      ],
      'POST /v1/destinations': ['destination.created', () => key('POST', '/v1/destinations', segment)],
      'PATCH /v1/destinations/{destinationId}': [
        'destination.updated',
        async () => key('PATCH', `/v1/destinations/${(await destination()).id}`, { enabled: false }),
      ],
      'DELETE /v1/destinations/{destinationId}': [
        'destination.deleted',
        async () => key('DELETE', `/v1/destinations/${(await destination()).id}`),
      ],
      'POST /v1/webhooks': [
        'webhook.created',
        () => key('POST', '/v1/webhooks', { url: 'https://hooks.example.com/', secret: 'a-secret-of-it' }),
      ],
      'PATCH /v1/webhooks/{webhookId}': [
        'webhook.updated',
        async () => key('PATCH', `/v1/webhooks/${(await webhook()).id}`, { enabled: false }),
      ],
      'DELETE /v1/webhooks/{webhookId}': [
        'webhook.deleted',
        async () => key('DELETE', `/v1/webhooks/${(await webhook()).id}`),
      ],
      'POST /v1/webhooks/{webhookId}/test': [
        'webhook.tested',
        async () => key('POST', `/v1/webhooks/${(await webhook()).id}/test`),
      ],
      'POST /v1/webhooks/deliveries/{attemptId}/redelivery': [
        'webhook.redelivered',
        async () => {
          const { id } = await webhook();
          await key('POST', `/v1/webhooks/${id}/test`);
          const { body } = await key('GET', `/v1/webhooks/deliveries?webhook_id=${id}`);
          return await key('POST', `/v1/webhooks/deliveries/${body[0].id}/redelivery`);
        },
      ],
      'PUT /v1/skan/conversion-values': [
        'conversion_values.updated',
        () => key('PUT', '/v1/skan/conversion-values', { windows: [] }),
      ],
      'POST /v1/costs': ['costs.updated', () => key('POST', '/v1/costs', { costs: [cost()] })],
      'DELETE /v1/costs': [
        'cost.deleted',
        async () => {
          await key('POST', '/v1/costs', { costs: [cost()] });
          const { body } = await key('DELETE', '/v1/costs?from=1970-01-01&dryRun=true');
          return await key('DELETE', `/v1/costs?from=1970-01-01&confirm=${body.deleted}`);
        },
      ],
      'DELETE /v1/costs/{id}': [
        'cost.deleted',
        async () => {
          await key('POST', '/v1/costs', { costs: [cost()] });
          const { body } = await key('GET', '/v1/costs');
          return await key('DELETE', `/v1/costs/${body[0].id}`);
        },
      ],
      'POST /v1/privacy/erase': [
        'privacy.erasure_requested',
        () => key('POST', '/v1/privacy/erase', { userId: 'jane' }),
      ],
      'POST /v1/privacy/export': [
        'privacy.exported',
        () => key('POST', '/v1/privacy/export', { userId: 'jane' }),
      ],
      'POST /v1/session': ['user.signed_in', async () => signIn(world, (await withPassword()).email)],
      'POST /v1/setup': [
        'setup.used',
        async () => {
          const url = await makeSetupAddress(world.service, { by: 'first_start', email: null });
          const email = `${crypto.randomUUID()}@example.com`;
          const body = { token: tokenOf(url), email, name: 'Ada', password: PASSWORD };
          return await world.call('POST', '/v1/setup', { body });
        },
      ],
      'POST /v1/invitations/accept': [
        'user.joined',
        async () => {
          const body = { token: tokenOf((await invited()).url), name: 'Ada', password: PASSWORD };
          return await world.call('POST', '/v1/invitations/accept', { body });
        },
      ],
      'POST /v1/password-resets/use': [
        'password_reset.used',
        async () => {
          const body = { token: await resetToken((await withPassword()).id), password: PASSWORD };
          return await world.call('POST', '/v1/password-resets/use', { body });
        },
      ],
      'DELETE /v1/sessions/{sessionId}': [
        'session.revoked',
        async () => {
          const user = await newUser(world);
          const { body } = await callAs(world, user, 'GET', '/v1/sessions');
          return await callAs(world, user, 'DELETE', `/v1/sessions/${body[0].id}`);
        },
      ],
      'POST /v1/session/password': [
        'password.changed',
        async () => {
          const body = { current: PASSWORD, next: 'another long password' };
          return await callAs(world, await withPassword(), 'POST', '/v1/session/password', { body });
        },
      ],
      'DELETE /v1/sessions': [
        'session.revoked',
        async () => callAs(world, await newUser(world), 'DELETE', '/v1/sessions'),
      ],
      'DELETE /v1/session/apps/{appId}': [
        'user.removed',
        async () =>
          callAs(world, await newUser(world, { appId: app.id }), 'DELETE', `/v1/session/apps/${app.id}`),
      ],
      'DELETE /v1/session/user': [
        'user.deleted',
        async () => callAs(world, await newUser(world), 'DELETE', '/v1/session/user'),
      ],
      'PATCH /v1/app': ['app.updated', () => own('PATCH', '/v1/app', { name: crypto.randomUUID() })],
      'POST /v1/keys': ['key.created', () => own('POST', '/v1/keys', { kind: 'test' })],
      'PATCH /v1/keys/{keyId}': [
        'key.updated',
        async () => own('PATCH', `/v1/keys/${(await newKey()).id}`, { name: 'CI' }),
      ],
      'POST /v1/keys/{keyId}/rotation': [
        'key.rotated',
        async () => own('POST', `/v1/keys/${(await newKey()).id}/rotation`),
      ],
      'DELETE /v1/keys/{keyId}': [
        'key.revoked',
        async () => own('DELETE', `/v1/keys/${(await newKey()).id}`),
      ],
      'PATCH /v1/users/{userId}': [
        'user.role_changed',
        async () => own('PATCH', `/v1/users/${(await withPassword()).id}`, { role: 'editor' }),
      ],
      'DELETE /v1/users/{userId}': [
        'user.removed',
        async () => own('DELETE', `/v1/users/${(await withPassword()).id}`),
      ],
      'POST /v1/invitations': [
        'user.invited',
        () => own('POST', '/v1/invitations', { email: 'new@example.com', role: 'viewer' }),
      ],
      'DELETE /v1/invitations/{invitationId}': [
        'invitation.revoked',
        async () => own('DELETE', `/v1/invitations/${(await invited()).id}`),
      ],
      'POST /v1/admin/apps': ['app.created', () => admin('POST', '/apps', { name: 'Second' })],
      'PATCH /v1/admin/apps/{appId}': [
        'app.updated',
        () => admin('PATCH', `/apps/${app.id}`, { name: crypto.randomUUID() }),
      ],
      'POST /v1/admin/apps/{appId}/keys': [
        'key.created',
        () => admin('POST', `/apps/${app.id}/keys`, { kind: 'test' }),
      ],
      'PATCH /v1/admin/apps/{appId}/keys/{keyId}': [
        'key.updated',
        async () => admin('PATCH', `/apps/${app.id}/keys/${(await newKey()).id}`, { name: 'CI' }),
      ],
      'POST /v1/admin/apps/{appId}/keys/{keyId}/rotation': [
        'key.rotated',
        async () => admin('POST', `/apps/${app.id}/keys/${(await newKey()).id}/rotation`),
      ],
      'DELETE /v1/admin/apps/{appId}/keys/{keyId}': [
        'key.revoked',
        async () => admin('DELETE', `/apps/${app.id}/keys/${(await newKey()).id}`),
      ],
      'PATCH /v1/admin/users/{userId}': [
        'operator.marked',
        async () => admin('PATCH', `/users/${(await newUser(world)).id}`, { isOperator: true }),
      ],
      'POST /v1/admin/users/setup': ['setup.address_made', () => world.admin('POST', '/users/setup', {})],
      'POST /v1/admin/users/{userId}/password-reset': [
        'password_reset.address_made',
        async () => admin('POST', `/users/${(await newUser(world)).id}/password-reset`),
      ],
      'DELETE /v1/admin/users/{userId}': [
        'user.deleted',
        async () => admin('DELETE', `/users/${(await newUser(world)).id}`),
      ],
      'POST /v1/admin/retention/confirmation': [
        'retention.clock_confirmed',
        () => admin('POST', '/retention/confirmation'),
      ],
    };

    const countOf = async (action: string) => {
      const { db } = world.service;
      const [ofApps, ofService] = await Promise.all([
        db.selectFrom('audit_log').select('id').where('action', '=', action).execute(),
        db.selectFrom('service_log').select('id').where('action', '=', action).execute(),
      ]);
      return ofApps.length + ofService.length;
    };

    it('every operation that may change something is audited, or an exception with a reason', () => {
      const changing = operationsOf(world)
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`);
      assert.ok(changing.length > 50);
      const known = [AUDITED, ELSEWHERE, EXCEPTIONS].flatMap((table) => Object.keys(table));
      assert.deepEqual(known.toSorted(), changing.toSorted());
    });

    it('a call of each audited operation makes an entry', async () => {
      for (const [operation, [action, call]] of Object.entries(AUDITED)) {
        const before = await countOf(action);
        const { status, text } = await call();
        assert.ok(status < 300 || status === 502, `${operation}: ${status} ${text}`);
        assert.ok((await countOf(action)) > before, `${operation} makes no ${action}`);
      }
    });

    it('every action has words in the console', () => {
      const words = readFileSync('console/src/audit/sentence.ts', 'utf8');
      for (const action of [...ACTIONS, ...SERVICE_ACTIONS]) assert.ok(words.includes(`'${action}'`), action);
    });

    it('the other tests of entries name them', () => {
      for (const [action, test] of Object.values(ELSEWHERE))
        assert.ok(readFileSync(test, 'utf8').includes(action), test);
    });

    it('taking records away as CSV is an entry, without the values of its filters', async () => {
      const headers = { accept: 'text/csv' };
      await world.call('GET', '/v1/events?userId=jane', { key: app.keys.live, headers });
      const { body, text } = await key('GET', '/v1/audit-log?action=records');
      const { records, format, fields } = body[0].details;
      assert.deepEqual({ records, format, fields }, { records: 'events', format: 'csv', fields: ['userId'] });
      assert.ok(!text.includes('jane'));
    });
  });
