import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, hashOf, newUser, PASSWORD, signIn } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { useWorld } from '../../helpers/world.ts';

for (const engine of engines)
  describe(`users that are disabled or removed, on ${engine}`, () => {
    const world = useWorld(engine);
    const change = (id: string, body: object) => world.admin('PATCH', `/users/${id}`, body);
    const actionsOf = async (id: string) => {
      const entries = await world.service.db.selectFrom('service_log').selectAll().orderBy('id').execute();
      return entries
        .map(({ action, details }) => ({ action, ...(JSON.parse(details) as { recordId: string }) }))
        .filter(({ recordId }) => recordId === id)
        .map(({ action }) => action);
    };

    it('a disabled user is signed out, cannot sign in or be mailed a password, and can again once enabled', async () => {
      const app = await world.newApp();
      const user = await newUser(world, { appId: app.id });
      const { db } = world.service;
      const password_hash = await hashOf(world, PASSWORD);
      await db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
      const disabled = await change(user.id, { isDisabled: true });
      assert.equal(typeof disabled.body.disabledAt, 'string', disabled.text);
      assertError(await callAs(world, user, 'GET', '/v1/session'), 401, 'session.missing', 'session');
      assertError(await signIn(world, user.email), 403, 'user.disabled', 'operator');
      assertError(
        await signIn(world, user.email, { password: 'another long password' }),
        401,
        'session.wrong_credentials',
        'wrong',
      );
      assert.equal((await change(user.id, { isDisabled: true })).status, 200);

      assert.equal((await change(user.id, { isDisabled: false })).body.disabledAt, null);
      assert.equal((await signIn(world, user.email)).status, 200);
      assert.deepEqual(await actionsOf(user.id), ['user.disabled', 'user.enabled', 'user.signed_in']);
    });

    it('an operator who is disabled leaves another one; the last of them is not disabled or removed', async () => {
      const [one, two] = [
        await newUser(world, { isOperator: true }),
        await newUser(world, { isOperator: true }),
      ];
      assert.equal((await change(one.id, { isDisabled: true })).status, 200);
      assertError(await change(two.id, { isDisabled: true }), 409, 'user.last_operator', 'operator');
      assertError(await world.admin('DELETE', `/users/${two.id}`), 409, 'user.last_operator', 'operator');
      assert.equal((await world.admin('DELETE', `/users/${one.id}`)).status, 204);
    });

    it('a removed user loses the memberships, but the only owner of an app stays', async () => {
      const app = await world.newApp();
      const [owner, editor] = [
        await newUser(world, { appId: app.id }),
        await newUser(world, { appId: app.id, role: 'editor' }),
      ];
      assert.equal((await world.admin('DELETE', `/users/${editor.id}`)).status, 204);
      assertError(await callAs(world, editor, 'GET', '/v1/session'), 401, 'session.missing', 'session');
      assertError(await world.admin('DELETE', `/users/${owner.id}`), 409, 'user.last_owner', 'owner');
      assert.deepEqual(await actionsOf(editor.id), ['user.deleted']);
      assertError(await world.admin('DELETE', `/users/${editor.id}`), 404, 'user.not_found', 'user');
    });
  });
