/** An app keeps an owner, and the service an operator, whatever is done to them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { callAs, newUser, PASSWORD, type TestUser } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type Answer, freshAddress, useWorld } from '../../helpers/world.ts';

interface Team {
  readonly appId: string;
  readonly owner: TestUser;
  readonly second: TestUser;
  readonly operator: TestUser;
}

for (const engine of engines)
  describe(`the last owner on ${engine}`, () => {
    const world = useWorld(engine);
    const call = (by: TestUser, appId: string, method: 'PATCH' | 'DELETE', path: string, body?: object) =>
      callAs(world, by, method, path, { appId, ...(body !== undefined && { body }) });

    /** @param roles of the two members */
    async function newTeam(roles: readonly ['owner', 'owner' | 'viewer']): Promise<Team> {
      const { id: appId } = await world.newApp();
      const [owner, second] = [
        await newUser(world, { appId, role: roles[0] }),
        await newUser(world, { appId, role: roles[1] }),
      ];
      // Two, so that the mark of one can be taken.
      await newUser(world, { isOperator: true });
      return { appId, owner, second, operator: await newUser(world, { isOperator: true }) };
    }

    const ownersOf = async (appId: string): Promise<string[]> => {
      const { db } = world.service;
      const rows = await db
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.id')
        .where('app_id', '=', appId)
        .where('role', '=', 'owner')
        .execute();
      return rows.map(({ id }) => id);
    };

    /** Ways to lose a role, and who takes them. */
    const PATHS: Readonly<Record<string, (team: Team) => Promise<Answer>>> = {
      'is not demoted by oneself': ({ appId, owner }) =>
        call(owner, appId, 'PATCH', `/v1/users/${owner.id}`, { role: 'viewer' }),
      'is not demoted by an operator': ({ appId, owner, operator }) =>
        call(operator, appId, 'PATCH', `/v1/users/${owner.id}`, { role: 'editor' }),
      'is not removed by oneself': ({ appId, owner }) =>
        call(owner, appId, 'DELETE', `/v1/users/${owner.id}`),
      'is not removed by an operator': ({ appId, owner, operator }) =>
        call(operator, appId, 'DELETE', `/v1/users/${owner.id}?revokeKeys=true`),
      'does not leave': ({ appId, owner }) => call(owner, appId, 'DELETE', `/v1/session/apps/${appId}`),
      'does not delete the account': ({ appId, owner }) => call(owner, appId, 'DELETE', '/v1/session/user'),
    };
    for (const [path, take] of Object.entries(PATHS))
      it(`${path}, and stays while an operator sees the app`, async () => {
        const team = await newTeam(['owner', 'viewer']);
        assertError(await take(team), 409, 'user.last_owner');
        assert.deepEqual(await ownersOf(team.appId), [team.owner.id]);
        assert.equal((await callAs(world, team.owner, 'GET', '/v1/session')).status, 200);
      });

    it('stays one with an invitation to a lower role, a new password and another operator', async () => {
      const { appId, owner, operator } = await newTeam(['owner', 'viewer']);
      const { db } = world.service;
      const made = await callAs(world, operator, 'POST', `/v1/admin/users/${owner.id}/password-reset`);
      const post = (path: string, body: object) =>
        world.call('POST', path, { body, from: freshAddress(), headers: {} });
      const reset = { token: tokenOf(made.body.url), password: PASSWORD };
      assert.equal((await post('/v1/password-resets/use', reset)).status, 200);
      const { url } = (await world.admin('POST', '/users/setup')).body;
      const setUp = { token: tokenOf(url), email: owner.email, name: 'Ada', password: PASSWORD };
      assert.equal((await post('/v1/setup', setUp)).status, 201);
      await world.admin('PATCH', `/users/${owner.id}`, { isOperator: false });
      const user = await db.selectFrom('users').selectAll().where('id', '=', owner.id).execute();
      assert.equal(user[0]?.is_operator, 0);
      assert.deepEqual(await ownersOf(appId), [owner.id]);
    });

    /** What two owners do at once, each to the other or to oneself. */
    const RACES: Readonly<Record<string, (team: Team) => readonly Promise<Answer>[]>> = {
      'remove each other': ({ appId, owner, second }) => [
        call(owner, appId, 'DELETE', `/v1/users/${second.id}`),
        call(second, appId, 'DELETE', `/v1/users/${owner.id}`),
      ],
      'demote each other': ({ appId, owner, second }) => [
        call(owner, appId, 'PATCH', `/v1/users/${second.id}`, { role: 'editor' }),
        call(second, appId, 'PATCH', `/v1/users/${owner.id}`, { role: 'viewer' }),
      ],
      leave: ({ appId, owner, second }) => [
        call(owner, appId, 'DELETE', `/v1/session/apps/${appId}`),
        call(second, appId, 'DELETE', `/v1/session/apps/${appId}`),
      ],
      'delete their accounts': ({ appId, owner, second }) => [
        call(owner, appId, 'DELETE', '/v1/session/user'),
        call(second, appId, 'DELETE', '/v1/session/user'),
      ],
      'leave and remove the other': ({ appId, owner, second }) => [
        call(owner, appId, 'DELETE', `/v1/session/apps/${appId}`),
        call(owner, appId, 'DELETE', `/v1/users/${second.id}`),
      ],
      'are demoted and delete the account': ({ appId, owner, second, operator }) => [
        call(operator, appId, 'PATCH', `/v1/users/${owner.id}`, { role: 'viewer' }),
        call(second, appId, 'DELETE', '/v1/session/user'),
      ],
    };
    for (const [what, run] of Object.entries(RACES))
      it(`one is left of two owners who ${what} at once`, async () => {
        for (let round = 0; round < 3; round++) {
          const team = await newTeam(['owner', 'owner']);
          const answers = await Promise.all(run(team));
          const done = answers.filter(({ status }) => status < 300);
          assert.equal(done.length, 1, answers.map(({ text }) => text).join());
          assert.equal((await ownersOf(team.appId)).length, 1);
        }
      });

    it('an owner whom another removed meanwhile changes nobody’s role any more', async () => {
      for (let round = 0; round < 5; round++) {
        const { appId, owner, second } = await newTeam(['owner', 'owner']);
        const third = await newUser(world, { appId, role: 'viewer' });
        const [removed, promoted] = await Promise.all([
          call(owner, appId, 'DELETE', `/v1/users/${second.id}`),
          call(second, appId, 'PATCH', `/v1/users/${third.id}`, { role: 'owner' }),
        ]);
        assert.equal(removed.status, 204);
        assert.ok([200, 401, 403, 404].includes(promoted.status), promoted.text);
        const owners = await ownersOf(appId);
        assert.equal(owners.includes(third.id), promoted.status === 200);
        const log = await callAs(world, owner, 'GET', '/v1/audit-log?limit=1', { appId });
        assert.equal(log.body[0].action, 'user.removed');
      }
    });

    it('a member leaves an app, and takes the account along with the last one', async () => {
      const [first, other] = [await newTeam(['owner', 'viewer']), await newTeam(['owner', 'viewer'])];
      const { db } = world.service;
      const created_at = '2026-01-01T00:00:00.000Z';
      const membership = { app_id: other.appId, user_id: first.second.id, role: 'editor', created_at };
      await db.insertInto('memberships').values(membership).execute();
      const leave = (appId: string) =>
        callAs(world, first.second, 'DELETE', `/v1/session/apps/${appId}`, { appId: other.appId });
      for (const appId of [randomUUID(), 'none', (await world.newApp()).id])
        assertError(await leave(appId), 404, 'app.not_found');
      assert.equal((await leave(first.appId.toUpperCase())).status, 204);
      const { apps } = (await callAs(world, first.second, 'GET', '/v1/session')).body;
      assert.deepEqual(
        apps.map(({ id }: { id: string }) => id),
        [other.appId],
      );
      const log = await callAs(world, first.owner, 'GET', '/v1/audit-log?limit=1', { appId: first.appId });
      const { action, details } = log.body[0];
      assert.deepEqual(
        [action, details.recordId, details.userId],
        ['user.removed', first.second.id, first.second.id],
      );
      assert.equal((await leave(other.appId)).status, 204);
      assertError(await callAs(world, first.second, 'GET', '/v1/session'), 401, 'session.missing');
      assert.deepEqual(
        await db.selectFrom('users').where('id', '=', first.second.id).select('id').execute(),
        [],
      );
    });

    it('a deleted account leaves no membership, session or user but an entry, and an operator’s goes unless it is the last', async () => {
      const { appId, second, operator } = await newTeam(['owner', 'owner']);
      const gone = await call(second, appId, 'DELETE', '/v1/session/user');
      assert.equal(gone.status, 204, gone.text);
      assert.match(String(gone.headers['set-cookie']), /Max-Age=0/);
      const { db } = world.service;
      for (const [table, column] of [
        ['users', 'id'],
        ['sessions', 'user_id'],
        ['memberships', 'user_id'],
      ] as const) {
        const rows = await db
          .selectFrom(table)
          .selectAll()
          .where(column as 'id', '=', second.id)
          .execute();
        assert.deepEqual(rows, [], table);
      }
      const entries = await world.admin('GET', `/audit-log?action=user.deleted&resource=${second.id}`);
      assert.deepEqual(
        entries.body.map(({ details }: { details: { email: string } }) => details.email),
        [second.email],
      );
      assert.equal((await call(operator, appId, 'DELETE', '/v1/session/user')).status, 204);
      const left = (await world.admin('GET', '/users')).body.filter(
        ({ isOperator }: { isOperator: boolean }) => isOperator,
      ) as { id: string }[];
      const last = await newUser(world, { isOperator: true });
      for (const { id } of left) await world.admin('PATCH', `/users/${id}`, { isOperator: false });
      assertError(await call(last, appId, 'DELETE', '/v1/session/user'), 409, 'user.last_operator');
    });
  });

function tokenOf(url: string): string {
  return url.split('#')[1] ?? '';
}
