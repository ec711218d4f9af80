/** Who made an invitation, a set-up address or a key, and what becomes of it; the last owner of an app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, cookieOf, newUser, PASSWORD, type TestUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const WELCOME = { name: 'Grace', password: PASSWORD };

for (const engine of engines)
  describe(`authors of access on ${engine}`, () => {
    const world = useWorld(engine);
    const newTeam = async () => {
      const app = await world.newApp();
      const [owner, second] = [
        await newUser(world, { appId: app.id }),
        await newUser(world, { appId: app.id }),
      ];
      const call = (by: TestUser, method: Parameters<typeof callAs>[2], path: string, body?: object) =>
        callAs(world, by, method, path, { appId: app.id, body });
      const invite = async (by: TestUser, email: string, role = 'owner') => {
        const answer = await call(by, 'POST', '/v1/invitations', { email, role });
        assert.equal(answer.status, 201, answer.text);
        return { ...answer.body, token: tokenOf(answer.body.url) };
      };
      const rolesOf = async (by: TestUser): Promise<string[]> =>
        (await call(by, 'GET', '/v1/users')).body.map(({ role }: { role: string }) => role);
      return { app, owner, second, call, invite, rolesOf };
    };
    const accept = (token: string, user?: TestUser) =>
      world.call('POST', '/v1/invitations/accept', {
        body: user === undefined ? { token, ...WELCOME } : { token },
        from: freshAddress(),
        headers: user === undefined ? {} : { cookie: user.cookie },
      });
    const setUp = (token: string, email: string) =>
      world.call('POST', '/v1/setup', {
        body: { token, email, ...WELCOME },
        from: freshAddress(),
      });

    it('an invitation counts only while its author may still make it', async () => {
      const { owner, second, call, invite } = await newTeam();
      const { token, createdBy, id } = await invite(second, 'back-door@example.com');
      assert.equal(createdBy, second.id);
      const listed = async () =>
        (await call(owner, 'GET', '/v1/invitations')).body.map((one: { id: string }) => one.id);
      assert.deepEqual(await listed(), [id]);
      for (const change of [
        () => call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'editor' }),
        () => call(owner, 'DELETE', `/v1/users/${second.id}`),
      ]) {
        const { status } = await change();
        assert.ok(status === 200 || status === 204);
        assertError(await accept(token), 404, 'invitation.not_found');
        assert.deepEqual(await listed(), []);
      }
    });

    it('a demoted owner does not return by an invitation to oneself from before', async () => {
      const { owner, second, call, invite } = await newTeam();
      const other = await newUser(world);
      const { token } = await invite(second, other.email);
      await call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'viewer' });
      assertError(await accept(token, other), 404, 'invitation.not_found');
    });

    it('an operator’s invitation counts while the author is an operator', async () => {
      const { app, owner } = await newTeam();
      await newUser(world, { isOperator: true });
      const operator = await newUser(world, { isOperator: true });
      const body = { email: 'by-operator@example.com', role: 'viewer' };
      const { url } = (await callAs(world, operator, 'POST', '/v1/invitations', { appId: app.id, body }))
        .body;
      await world.admin('PATCH', `/users/${operator.id}`, { isOperator: false });
      assertError(await accept(tokenOf(url)), 404, 'invitation.not_found');
      await world.admin('PATCH', `/users/${operator.id}`, { isOperator: true });
      assert.equal((await accept(tokenOf(url))).status, 200);
      assert.equal((await callAs(world, owner, 'GET', '/v1/users', { appId: app.id })).body.length, 3);
    });

    it('an acceptance and the demotion of the author at once leave no invited owner behind the demotion', async () => {
      for (let round = 0; round < 5; round++) {
        const { owner, second, call, invite } = await newTeam();
        const { token } = await invite(second, `race-${round}-${engine}@example.com`);
        const [demoted, joined] = await Promise.all([
          call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'viewer' }),
          accept(token),
        ]);
        assert.equal(demoted.status, 200);
        assert.ok(joined.status === 200 || joined.status === 404, joined.text);
        assertError(await accept(token), 404, 'invitation.not_found');
      }
    });

    it('an invitation never lowers a role, so the last owner keeps it', async () => {
      const { owner, second, call, invite, rolesOf } = await newTeam();
      const late = await newUser(world);
      const { token } = await invite(owner, late.email, 'viewer');
      const promoted = await invite(owner, (await newUser(world)).email, 'viewer');
      assert.equal((await accept(token, late)).status, 200);
      // Invited as an outsider, and the only owner by the time of the acceptance.
      const { db } = world.service;
      await db.updateTable('invitations').set({ email: owner.email }).where('id', '=', promoted.id).execute();
      await call(owner, 'DELETE', `/v1/users/${second.id}`);
      assert.equal((await accept(promoted.token, owner)).status, 200);
      assert.deepEqual((await rolesOf(owner)).sort(), ['owner', 'viewer']);
    });

    it('two owners who demote each other at once leave one', async () => {
      const { owner, second, call } = await newTeam();
      const answers = await Promise.all([
        call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'viewer' }),
        call(second, 'PATCH', `/v1/users/${owner.id}`, { role: 'viewer' }),
      ]);
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(done.length, 1, answers.map(({ status }) => status).join());
    });

    it('a member who joins another app while being removed keeps an account, or has no membership', async () => {
      for (let round = 0; round < 5; round++) {
        const [first, other] = [await newTeam(), await newTeam()];
        const member = await newUser(world, { appId: first.app.id, role: 'viewer' });
        const { token } = await other.invite(other.owner, member.email);
        await Promise.all([
          first.call(first.owner, 'DELETE', `/v1/users/${member.id}`),
          accept(token, member),
        ]);
        const { db } = world.service;
        const user = await db.selectFrom('users').select('id').where('id', '=', member.id).execute();
        const memberships = await db
          .selectFrom('memberships')
          .select('app_id')
          .where('user_id', '=', member.id)
          .execute();
        assert.equal(memberships.length, user.length);
      }
    });

    it('members list the active keys that they made, which a demotion or removal revokes if asked to', async () => {
      const { app, owner, second, call } = await newTeam();
      const make = async (by: TestUser) => (await call(by, 'POST', '/v1/keys', { kind: 'live' })).body;
      const [own, first, gone] = [await make(owner), await make(second), await make(second)];
      assert.equal(first.createdBy.userId, second.id);
      await call(owner, 'DELETE', `/v1/keys/${gone.id}`);
      const keysOf = async (id: string) =>
        (await call(owner, 'GET', '/v1/users')).body
          .find((one: { id: string }) => one.id === id)
          .keys.map((key: { id: string }) => key.id);
      assert.deepEqual(await keysOf(second.id), [first.id]);
      const read = async (key: string) => (await world.call('GET', '/v1/links', { key })).status;

      const demoted = await call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'editor' });
      assert.deepEqual(
        demoted.body.keys.map((key: { id: string }) => key.id),
        [first.id],
      );
      assert.equal(await read(first.key), 200);
      const revoked = await call(owner, 'PATCH', `/v1/users/${second.id}`, {
        role: 'viewer',
        revokeKeys: true,
      });
      assert.deepEqual(revoked.body.keys, []);
      assert.deepEqual([await read(first.key), await read(own.key)], [401, 200]);

      await call(owner, 'PATCH', `/v1/users/${second.id}`, { role: 'owner' });
      const [kept, elsewhere] = [await make(second), await newTeam()];
      await elsewhere.call(elsewhere.owner, 'POST', '/v1/keys', { kind: 'live' });
      const path = `/v1/users/${second.id}?revokeKeys=true`;
      assert.equal((await call(owner, 'DELETE', path)).status, 204);
      assert.deepEqual([await read(kept.key), await read(own.key)], [401, 200]);
      const log = await callAs(world, owner, 'GET', '/v1/audit-log?action=key.revoked', { appId: app.id });
      assert.deepEqual(
        log.body.map(({ details }: { details: { recordId: string } }) => details.recordId),
        [kept.id, first.id, gone.id],
      );
    });

    it('a removed member’s keys stay without revokeKeys, and name their author', async () => {
      const { owner, second, call } = await newTeam();
      const { key, id } = (await call(second, 'POST', '/v1/keys', { kind: 'live' })).body;
      await call(owner, 'DELETE', `/v1/users/${second.id}`);
      assert.equal((await world.call('GET', '/v1/links', { key })).status, 200);
      const listed = (await call(owner, 'GET', '/v1/keys')).body.find((one: { id: string }) => one.id === id);
      assert.equal(listed.createdBy.userId, second.id);
    });

    it('only a user with a proven email becomes an operator', async () => {
      const operator = await newUser(world, { isOperator: true });
      const user = await newUser(world, { isProven: false });
      const mark = (isOperator: boolean) =>
        callAs(world, operator, 'PATCH', `/v1/admin/users/${user.id}`, { body: { isOperator } });
      assertError(await mark(true), 409, 'user.unproven_email');
      assert.equal((await world.admin('PATCH', `/users/${user.id}`, { isOperator: true })).status, 409);
      assert.equal((await mark(false)).status, 200);
    });

    it('an address that was copied by hand proves no email', async () => {
      const { owner, invite } = await newTeam();
      const joined = await accept((await invite(owner, `copied-${engine}@example.com`)).token);
      assert.equal(joined.body.user.isEmailProven, false);
      const { url } = (await world.admin('POST', '/users/setup')).body;
      const answer = await setUp(tokenOf(url), `by-hand-${engine}@example.com`);
      const { isOperator, isEmailProven } = answer.body.user;
      assert.deepEqual([isOperator, isEmailProven], [true, false]);
    });

    it('an operator’s session makes no set-up address to pass on', async () => {
      const operator = await newUser(world, { isOperator: true });
      const make = (body?: object) =>
        callAs(world, operator, 'POST', '/v1/admin/users/setup', body === undefined ? {} : { body });
      assertError(await make(), 400, 'request.invalid', 'email is required');
      assertError(await make({ email: 'new@example.com' }), 404, 'mail.off');
    });

    it('marks and set-up addresses are in the audit log of the service, with their author', async () => {
      const operator = await newUser(world, { isOperator: true });
      const user = await newUser(world);
      const log = async (query = '') =>
        (await callAs(world, operator, 'GET', `/v1/admin/audit-log${query}`)).body as {
          action: string;
          details: Record<string, string>;
        }[];
      for (const isOperator of [true, true, false])
        await callAs(world, operator, 'PATCH', `/v1/admin/users/${user.id}`, { body: { isOperator } });
      const { url } = (await world.admin('POST', '/users/setup')).body;
      const made = await setUp(tokenOf(url), `audited-${engine}@example.com`);
      const entries = await log('?limit=5');
      assert.deepEqual(
        entries.map(({ action, details }) => [action, details.userId ?? details.changedBy, details.email]),
        [
          ['user.signed_in', made.body.user.id, `audited-${engine}@example.com`],
          ['setup.used', made.body.user.id, `audited-${engine}@example.com`],
          ['setup.address_made', 'admin', undefined],
          ['operator.unmarked', operator.id, user.email],
          ['operator.marked', operator.id, user.email],
        ],
      );
      assert.equal((await log('?action=operator.marked&limit=1'))[0]?.details.recordId, user.id);
      const { owner, app } = await newTeam();
      assertError(await callAs(world, owner, 'GET', '/v1/admin/audit-log'), 403, 'role.too_low');
      const ofApp = await callAs(world, owner, 'GET', '/v1/audit-log', { appId: app.id });
      assert.ok(!ofApp.text.includes('operator.marked'));
    });

    it('an invited user is signed in with a session of the own', async () => {
      const { owner, invite } = await newTeam();
      const joined = await accept((await invite(owner, `session-${engine}@example.com`)).token);
      const session = await callAs(world, { cookie: cookieOf(joined) }, 'GET', '/v1/session');
      assert.equal(session.body.user.email, `session-${engine}@example.com`);
    });
  });

function tokenOf(url: string): string {
  return url.split('#')[1] ?? '';
}
