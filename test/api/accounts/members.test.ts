/** The set-up, invitations, members, and the keys and fields of the session's app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, cookieOf, newUser, PASSWORD, signIn, type TestUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type Answer, freshAddress, useWorld } from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const WELCOME = { name: 'Grace', password: PASSWORD };

for (const engine of engines)
  describe(`members on ${engine}`, () => {
    const world = useWorld(engine);
    const setupToken = async () => tokenOf((await world.admin('POST', '/users/setup')).body.url);
    const setUp = (token: string, email: string, password = PASSWORD) =>
      world.call('POST', '/v1/setup', {
        body: { token, email, name: 'Ada', password },
        from: freshAddress(),
      });
    const accept = (body: object, cookie?: string) =>
      world.call('POST', '/v1/invitations/accept', {
        body,
        from: freshAddress(),
        headers: cookie === undefined ? {} : { cookie },
      });
    /** An app with an owner. */
    const newTeam = async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const call = (
        method: Parameters<typeof callAs>[2],
        path: string,
        body?: object,
        user: Pick<TestUser, 'cookie'> = owner,
      ) => callAs(world, user, method, path, { appId: app.id, body });
      const invite = async (email: string, role = 'editor') => {
        const answer = await call('POST', '/v1/invitations', { email, role });
        assert.equal(answer.status, 201, answer.text);
        return { ...answer.body, token: tokenOf(answer.body.url) };
      };
      return { app, owner, call, invite };
    };

    it('the set-up makes an operator once, who owns the apps without an owner', async () => {
      const app = await world.newApp();
      assert.equal((await world.call('GET', '/v1/session/options')).body.setupNeeded, true);
      const token = await setupToken();
      const answer = await setUp(token, 'Ada@Example.com');
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual([answer.body.user.email, answer.body.user.isOperator], ['ada@example.com', true]);
      const operator = { cookie: cookieOf(answer) };
      const { body } = await callAs(world, operator, 'GET', '/v1/users', { appId: app.id });
      assert.deepEqual(
        body.map(({ email, role }: { email: string; role: string }) => [email, role]),
        [['ada@example.com', 'owner']],
      );
      assertError(await setUp(token, 'eve@example.com'), 403, 'setup.wrong_token');
      assert.equal((await world.call('GET', '/v1/session/options')).body.setupNeeded, false);
      const later = await world.newApp();
      assert.equal((await callAs(world, operator, 'GET', '/v1/app', { appId: later.id })).body.id, later.id);
    });

    it('a new address of the set-up replaces the one before, ends after seven days, and is used once', async () => {
      const [first, second] = [await setupToken(), await setupToken()];
      assertError(await setUp(first, 'first@example.com'), 403, 'setup.wrong_token');
      const both = await Promise.all([setUp(second, 'b@example.com'), setUp(second, 'c@example.com')]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 403]);
      const old = await setupToken();
      world.clock.advance(7 * DAY_MS);
      assertError(await setUp(old, 'late@example.com'), 403, 'setup.wrong_token');
    });

    it('the set-up with the email of a user replaces a lost password and ends the sessions', async () => {
      const user = await newUser(world);
      assert.equal((await setUp(await setupToken(), user.email)).status, 201);
      assertError(await callAs(world, user, 'GET', '/v1/session'), 401, 'session.missing');
      assert.equal((await signIn(world, user.email)).body.user.id, user.id);
    });

    it('an invited person joins with the role of the invitation, once', async () => {
      const { app, call, invite } = await newTeam();
      const { token, url, id, expiresAt, createdAt, mailed } = await invite('Grace@Example.com');
      assert.equal(mailed, false);
      assert.match(url, /^http:\/\/links\.test\/console\/invitation#[\w-]{43}$/);
      assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * DAY_MS);
      const list = await call('GET', '/v1/invitations');
      assert.deepEqual(
        list.body.map((one: { id: string; email: string }) => [one.id, one.email]),
        [[id, 'grace@example.com']],
      );
      assert.ok(!list.text.includes(token));
      assertError(await accept({ token }), 400, 'request.invalid');
      const joined = await accept({ token, ...WELCOME });
      assert.equal(joined.status, 200, joined.text);
      assert.deepEqual(joined.body.apps, [{ id: app.id, name: 'Test app', role: 'editor' }]);
      const member = { cookie: cookieOf(joined) };
      assert.equal((await call('POST', '/v1/links', { deepLinkPath: '/' }, member)).status, 201);
      assertError(await accept({ token, ...WELCOME }), 404, 'invitation.not_found');
      assert.deepEqual((await call('GET', '/v1/invitations')).body, []);
      assertError(
        await call('POST', '/v1/invitations', { email: 'GRACE@example.com', role: 'owner' }),
        409,
        'user.already_member',
      );
    });

    it('a revoked, replaced or old invitation is not accepted', async () => {
      const { call, invite } = await newTeam();
      const revoked = await invite('revoked@example.com');
      assert.equal((await call('DELETE', `/v1/invitations/${revoked.id}`)).status, 204);
      const replaced = await invite('twice@example.com');
      const old = await invite('twice@example.com');
      for (const { token } of [revoked, replaced])
        assertError(await accept({ token, ...WELCOME }), 404, 'invitation.not_found');
      world.clock.advance(7 * DAY_MS);
      assertError(await accept({ token: old.token, ...WELCOME }), 404, 'invitation.not_found');
    });

    it('an existing user accepts after signing in, and only an invitation of the same email', async () => {
      const { app, invite } = await newTeam();
      const [user, other] = [await newUser(world), await newUser(world)];
      const { token } = await invite(user.email, 'viewer');
      assertError(await accept({ token, ...WELCOME }), 409, 'invitation.sign_in_first');
      assertError(await accept({ token }, other.cookie), 409, 'invitation.other_email');
      const joined = await accept({ token }, user.cookie);
      assert.deepEqual(joined.body.apps, [{ id: app.id, name: 'Test app', role: 'viewer' }]);
      assert.equal(joined.headers['set-cookie'], undefined);
    });

    it('an owner changes roles at once, and the last owner stays one', async () => {
      const { app, owner, call } = await newTeam();
      const editor = await newUser(world, { appId: app.id, role: 'editor' });
      const create = () => call('POST', '/v1/links', { deepLinkPath: '/' }, editor);
      assert.equal((await create()).status, 201);
      const changed = await call('PATCH', `/v1/users/${editor.id}`, { role: 'viewer' });
      assert.deepEqual([changed.status, changed.body.role], [200, 'viewer']);
      assertError(await create(), 403, 'role.too_low', 'the role editor');
      assertError(await call('PATCH', `/v1/users/${owner.id}`, { role: 'editor' }), 409, 'user.last_owner');
      assertError(await call('DELETE', `/v1/users/${owner.id}`), 409, 'user.last_owner');
      assert.equal((await call('PATCH', `/v1/users/${editor.id}`, { role: 'owner' })).status, 200);
      assert.equal((await call('DELETE', `/v1/users/${owner.id}`)).status, 204);
    });

    it('two owners who remove each other at once leave one', async () => {
      const { app, owner, call } = await newTeam();
      const second = await newUser(world, { appId: app.id });
      const answers = await Promise.all([
        call('DELETE', `/v1/users/${second.id}`),
        call('DELETE', `/v1/users/${owner.id}`, undefined, second),
      ]);
      const done = answers.filter(({ status }) => status === 204);
      assert.equal(done.length, 1, answers.map(({ status }) => status).join());
    });

    it('a removed member loses the app at once, and the account with the last app', async () => {
      const { app, call } = await newTeam();
      const elsewhere = await newTeam();
      const member = await newUser(world, { appId: app.id, role: 'viewer' });
      await world.service.db
        .insertInto('memberships')
        .values({
          app_id: elsewhere.app.id,
          user_id: member.id,
          role: 'viewer',
          created_at: '2026-01-01T00:00:00.000Z',
        })
        .execute();
      assert.equal((await call('DELETE', `/v1/users/${member.id}`)).status, 204);
      assertError(await call('GET', '/v1/links', undefined, member), 404, 'app.not_found');
      assert.equal((await callAs(world, member, 'GET', '/v1/session')).body.apps.length, 1);
      assert.equal((await elsewhere.call('DELETE', `/v1/users/${member.id}`)).status, 204);
      assertError(await callAs(world, member, 'GET', '/v1/session'), 401, 'session.missing');
      const { db } = world.service;
      for (const [table, column] of [
        ['users', 'id'],
        ['sessions', 'user_id'],
        ['memberships', 'user_id'],
      ] as const)
        assert.deepEqual(
          await db.selectFrom(table).selectAll().where(db.dynamic.ref(column), '=', member.id).execute(),
          [],
        );
    });

    it('an owner sees and changes no member and no invitation of another app', async () => {
      const [team, other] = [await newTeam(), await newTeam()];
      const { id } = await other.invite('secret@example.com');
      assertError(await team.call('DELETE', `/v1/invitations/${id}`), 404, 'invitation.not_found');
      for (const method of ['PATCH', 'DELETE'] as const)
        assertError(
          await team.call(
            method,
            `/v1/users/${other.owner.id}`,
            method === 'PATCH' ? { role: 'viewer' } : undefined,
          ),
          404,
          'user.not_found',
        );
      assert.ok(!(await team.call('GET', '/v1/users')).text.includes(other.owner.id));
    });

    it('an invitation is to the app of the session, whatever app the request names', async () => {
      const [team, other] = [await newTeam(), await newTeam()];
      const actor = { appId: other.app.id, keyId: other.owner.id, mode: 'live', publishable: false };
      const body = { email: 'eve@example.com', role: 'owner', actor };
      assert.equal((await team.call('POST', '/v1/invitations', body)).status, 201);
      assert.deepEqual((await other.call('GET', '/v1/invitations')).body, []);
      assert.equal((await team.call('GET', '/v1/invitations')).body.length, 1);
    });

    it('an owner makes and revokes keys of the own app alone', async () => {
      const { call } = await newTeam();
      const other = await newTeam();
      const made = await call('POST', '/v1/keys', { kind: 'live' });
      assert.equal(made.status, 201);
      assert.equal((await world.call('GET', '/v1/links', { key: made.body.key })).status, 200);
      assert.ok(!(await call('GET', '/v1/keys')).text.includes(made.body.key));
      assertError(await other.call('DELETE', `/v1/keys/${made.body.id}`), 404, 'key.not_found');
      assert.equal((await call('DELETE', `/v1/keys/${made.body.id}`)).status, 204);
      assertError(await world.call('GET', '/v1/links', { key: made.body.key }), 401, 'key.invalid');
    });

    it('an owner changes the app, and a viewer reads it', async () => {
      const { app, call } = await newTeam();
      assert.equal((await call('PATCH', '/v1/app', { name: 'Renamed' })).body.name, 'Renamed');
      const viewer = await newUser(world, { appId: app.id, role: 'viewer' });
      assert.equal((await call('GET', '/v1/app', undefined, viewer)).body.name, 'Renamed');
    });

    it('an owner lowers the daily bounds of the app, and only an operator raises them', async () => {
      const { app, call } = await newTeam();
      for (const field of ['dailyEventLimit', 'dailyEventBytes']) {
        const raised = await call('PATCH', '/v1/app', { [field]: 1e15 });
        assertError(raised, 400, 'request.invalid', `${field} may be at most`);
        assert.equal((await call('PATCH', '/v1/app', { [field]: 1_000 })).status, 200);
        assertError(await call('PATCH', '/v1/app', { [field]: null }), 400, 'request.invalid', 'operator');
        assert.equal((await world.admin('PATCH', `/apps/${app.id}`, { [field]: 1e15 })).status, 200);
        assert.equal((await call('PATCH', '/v1/app', { [field]: 1e14 })).status, 200);
      }
    });

    it('the audit log has changes of keys, the app, invitations and members, with their user', async () => {
      const { owner, call, invite } = await newTeam();
      const key = await call('POST', '/v1/keys', { kind: 'test' });
      await call('DELETE', `/v1/keys/${key.body.id}`);
      await call('PATCH', '/v1/app', { name: 'Audited' });
      await call('DELETE', `/v1/invitations/${(await invite('gone@example.com')).id}`);
      const joined = await accept({ token: (await invite('joins@example.com')).token, ...WELCOME });
      await call('PATCH', `/v1/users/${joined.body.user.id}`, { role: 'viewer' });
      await call('DELETE', `/v1/users/${joined.body.user.id}`);
      const log: Answer = await call('GET', '/v1/audit-log');
      const entries = (log.body as { action: string; details: Record<string, unknown> }[]).slice(0, 9);
      assert.deepEqual(
        entries.map(({ action, details }) => [action, details.userId === owner.id]).reverse(),
        [
          ['key.created', true],
          ['key.revoked', true],
          ['app.updated', true],
          ['user.invited', true],
          ['invitation.revoked', true],
          ['user.invited', true],
          ['user.joined', false],
          ['user.role_changed', true],
          ['user.removed', true],
        ],
      );
    });
  });

function tokenOf(url: string): string {
  return url.split('#')[1] ?? '';
}
