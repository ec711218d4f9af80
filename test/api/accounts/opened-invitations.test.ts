/** What an invitation says: to which app, by whom, in which role. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

for (const engine of neutralEngines)
  describe(`what an invitation says on ${engine}`, () => {
    const world = useWorld(engine);
    const read = (token: string) =>
      world.call('POST', '/v1/invitations/read', { body: { token }, from: freshAddress() });
    const newInvitation = async (email: string) => {
      const app = await world.newApp({ name: 'Shoe shop' });
      const owner = await newUser(world, { appId: app.id });
      const body = { email, role: 'editor' };
      const made = await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
      return { app, owner, made: made.body, token: String(made.body.url).split('#')[1] ?? '' };
    };

    it('its token alone opens it, with app, role, inviter, end, and whether to sign in', async () => {
      const { owner, made, token } = await newInvitation('new@example.com');
      const inviter = { name: 'Ada', email: owner.email };
      const opened = await read(token);
      assert.deepEqual(opened.body, {
        appName: 'Shoe shop',
        email: 'new@example.com',
        role: 'editor',
        ...{ inviter, expiresAt: made.expiresAt, hasAccount: false },
      });
      const known = await newInvitation((await newUser(world)).email);
      assert.equal((await read(known.token)).body.hasAccount, true);
      for (const wrong of ['x', `${token}0`, made.id])
        assertError(await read(wrong), 404, 'invitation.not_found');
    });

    it('the list of an app says who invites', async () => {
      const { app, owner, made } = await newInvitation('listed@example.com');
      const { url: _url, mailed: _mailed, ...listed } = made;
      assert.deepEqual(listed.inviter, { name: 'Ada', email: owner.email });
      const list = await callAs(world, owner, 'GET', '/v1/invitations', { appId: app.id });
      assert.deepEqual(list.body, [listed]);
    });

    it('an app has at most 500 open ones; another of the same address replaces one', async () => {
      const { app, owner, made } = await newInvitation('first@example.com');
      const { db } = world.service;
      const row = await db
        .selectFrom('invitations')
        .selectAll()
        .where('id', '=', made.id)
        .executeTakeFirstOrThrow();
      const rows = Array.from({ length: 499 }, (_, index) => ({
        ...row,
        id: world.service.ids.next(),
        email: `many-${index}@example.com`,
        token_hash: `hash ${index}`,
      }));
      await db.insertInto('invitations').values(rows).execute();
      const invite = (email: string) => {
        const body = { email, role: 'viewer' };
        return callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
      };
      assertError(await invite('late@example.com'), 409, 'invitation.too_many');
      assert.equal((await invite('first@example.com')).status, 201);
    });

    it('nothing is said of one that is revoked, or whose author is no owner any more', async () => {
      const { app, owner, made, token } = await newInvitation('revoked@example.com');
      await callAs(world, owner, 'DELETE', `/v1/invitations/${made.id}`, { appId: app.id });
      assertError(await read(token), 404, 'invitation.not_found');
      const other = await newInvitation('orphan@example.com');
      await newUser(world, { appId: other.app.id });
      const body = { role: 'viewer' };
      const path = `/v1/users/${other.owner.id}`;
      await callAs(world, other.owner, 'PATCH', path, { appId: other.app.id, body });
      assertError(await read(other.token), 404, 'invitation.not_found');
    });
  });
