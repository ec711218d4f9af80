/** Operators: all users of the service, the mark, and what is done with an operator's session. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { callAs, newUser, type TestUser } from '../../helpers/accounts.ts';
import { NO_ID } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`operators on ${engine}`, () => {
    const world = useWorld(engine);
    let operator: TestUser;
    before(async () => {
      operator = await newUser(world, { isOperator: true });
    });
    const mark = (id: string, isOperator: boolean, by = operator) =>
      callAs(world, by, 'PATCH', `/v1/admin/users/${id}`, { body: { isOperator } });
    const readUsers = async (by: TestUser) => await callAs(world, by, 'GET', '/v1/admin/users');

    it('list the users of all apps by email', async () => {
      const app = await world.newApp();
      const member = await newUser(world, { appId: app.id, role: 'viewer' });
      const { body, text } = await readUsers(operator);
      const emails = body.map(({ email }: { email: string }) => email);
      assert.deepEqual(emails, [...emails].sort());
      const { createdAt, lastUsedAt, ...listed } = body.find(({ id }: { id: string }) => id === member.id);
      assert.deepEqual(listed, {
        id: member.id,
        email: member.email,
        name: 'Ada',
        isOperator: false,
        isEmailProven: true,
        disabledAt: null,
      });
      assert.ok(Math.abs(Date.parse(createdAt) - world.clock.nowMs()) < 60_000);
      assert.equal(lastUsedAt, createdAt);
      assert.doesNotMatch(text, /password|subject/i);
    });

    it('make another user an operator and take the mark, at once', async () => {
      const user = await newUser(world);
      assertError(await readUsers(user), 403, 'role.too_low', 'operator');
      const made = await mark(user.id.toUpperCase(), true);
      assert.deepEqual([made.status, made.body.id, made.body.isOperator], [200, user.id, true], made.text);
      assert.equal((await readUsers(user)).status, 200);
      assert.equal((await mark(user.id, false)).body.isOperator, false);
      assertError(await readUsers(user), 403, 'role.too_low', 'operator');
      assert.equal((await callAs(world, user, 'GET', '/v1/session')).body.user.isOperator, false);
    });

    it('cannot take the mark from the last of them, or from each other at once', async () => {
      assertError(await mark(operator.id, false), 409, 'user.last_operator');
      const user = await newUser(world);
      assert.equal((await mark(user.id, false)).status, 200);
      const second = await newUser(world, { isOperator: true });
      const answers = await Promise.all([mark(operator.id, false, second), mark(second.id, false)]);
      const left = [operator, second].filter((_, index) => answers[index]?.status !== 200);
      assert.equal(left.length, 1, answers.map(({ status }) => status).join());
      [operator = second] = left;
      assert.equal((await readUsers(operator)).status, 200);
    });

    it('get 404 for a user who does not exist', async () => {
      for (const id of [NO_ID, 'x'])
        assertError(await mark(id, true), 404, 'user.not_found', '/v1/admin/users');
    });

    it('make an app and its keys, as whom the audit log has them', async () => {
      const made = await callAs(world, operator, 'POST', '/v1/admin/apps', {
        body: { name: 'From the console' },
      });
      assert.equal(made.status, 201, made.text);
      const path = `/v1/admin/apps/${made.body.id}`;
      const key = await callAs(world, operator, 'POST', `${path}/keys`, { body: { kind: 'live' } });
      await callAs(world, operator, 'PATCH', path, { body: { name: 'Renamed' } });
      await callAs(world, operator, 'DELETE', `${path}/keys/${key.body.id}`);
      const log = await callAs(world, operator, 'GET', '/v1/audit-log', { appId: made.body.id });
      assert.deepEqual(
        log.body.map(({ action, details }: { action: string; details: Record<string, unknown> }) => [
          action,
          details.userEmail,
        ]),
        ['key.revoked', 'app.updated', 'key.created', 'app.created'].map((action) => [
          action,
          operator.email,
        ]),
      );
      const session = await callAs(world, operator, 'GET', '/v1/session');
      assert.ok(session.body.apps.some(({ name }: { name: string }) => name === 'Renamed'));
    });

    it('are known by the session beside a password for a proxy, and not beside a wrong admin token', async () => {
      const call = (authorization: string) =>
        callAs(world, operator, 'GET', '/v1/admin/apps', { headers: { authorization } });
      assert.equal((await call('Basic cHJveHk6cGFzc3dvcmQ=')).status, 200);
      assertError(await call('Bearer wrong'), 401, 'admin.unauthorized');
    });
  });
