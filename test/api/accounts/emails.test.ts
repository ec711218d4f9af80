/** Which emails an account can have, and when two are one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, hashOf, newUser, PASSWORD, signIn } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { freshAddress, useWorld } from '../../helpers/world.ts';

const LONG_DOMAIN = `${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.test`;
/** The longest address: 254 characters. */
const LONGEST = `${'a'.repeat(254 - 1 - LONG_DOMAIN.length - 4)}@abc.${LONG_DOMAIN}`;

const REFUSED = {
  'the Kelvin sign for a k': '\u212aate@example.com',
  'a long s for an s': 'ro\u017f\u017f@example.com',
  'a full-width letter': '\uff4bate@example.com',
  'an accent': 'katé@example.com',
  'a Cyrillic letter': 'k\u0430te@example.com',
  'a zero-width space': 'ka\u200bte@example.com',
  'a soft hyphen': 'ka\u00adte@example.com',
  'a dotted capital I': '\u0130da@example.com',
  'other letters in the domain': 'kate@ex\u00e4mple.com',
  'the Kelvin sign in the domain': 'kate@\u212aelvin.com',
  'a full-width at sign': 'kate\uff20example.com',
  'two addresses': 'kate@example.com,eve@evil.test',
  'a comment': 'kate(eve@evil.test)@example.com',
  'a quoted part': '"kate eve"@example.com',
  'a name in front': 'Kate <kate@example.com>',
  'an address for the domain': 'kate@[127.0.0.1]',
  'a line end': 'kate@example.com\n',
  'an empty domain part': 'kate@example..com',
  'no domain': 'kate@',
  '255 characters': `a${LONGEST}`,
};

for (const engine of engines)
  describe(`emails on ${engine}`, () => {
    const world = useWorld(engine);
    const invite = async (email: string) => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const body = { email, role: 'viewer' };
      return await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
    };

    for (const [what, email] of Object.entries(REFUSED))
      it(`${what} is refused for a new account`, async () => {
        const post = (path: string, body: object) => world.call('POST', path, { body, from: freshAddress() });
        for (const answer of [
          await invite(email),
          await post('/v1/setup', { token: 'x', email, name: 'Kate', password: PASSWORD }),
          await world.admin('POST', '/users/setup', { email }),
        ])
          assertError(answer, 400, 'request.invalid', 'email');
      });

    it('names of users, keys and apps are refused with characters that nobody sees', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const own = { appId: app.id };
      const { id } = (await callAs(world, owner, 'POST', '/v1/keys', { ...own, body: { kind: 'live' } }))
        .body;
      const post = (path: string, body: object) => world.call('POST', path, { body, from: freshAddress() });
      const password = PASSWORD;
      const unseen = [
        '\n',
        '\u001b[31m',
        '\u0085',
        '\u061c',
        '\u200b',
        '\u200e',
        '\u200d',
        '\u202e',
        '\u2028',
      ];
      for (const one of [...unseen, '\u2060', '\u2066', '\ufeff', '\u00ad', '\ue000', '\u{e0041}']) {
        const name = `Ada${one} Owner`;
        for (const answer of [
          await post('/v1/setup', { token: 'x', email: 'ada@example.com', name, password }),
          await post('/v1/invitations/accept', { token: 'x', name, password }),
          await callAs(world, owner, 'POST', '/v1/keys', { ...own, body: { kind: 'live', name } }),
          await callAs(world, owner, 'PATCH', `/v1/keys/${id}`, { ...own, body: { name } }),
          await callAs(world, owner, 'PATCH', '/v1/app', { ...own, body: { name } }),
          await world.admin('POST', '/apps', { name }),
        ])
          assertError(answer, 400, 'request.invalid', 'characters that people see');
      }
      for (const name of ['Zoë O’Néill 🙂', '山田 太郎', 'محمد', 'Straße №1'])
        assert.equal(
          (await callAs(world, owner, 'PATCH', '/v1/app', { ...own, body: { name } })).status,
          200,
        );
    });

    it('no other spelling of an email signs in to its account or gets its mails', async () => {
      const password_hash = await hashOf(world, PASSWORD);
      const { db } = world.service;
      const { id } = await newUser(world);
      const email = 'kate@example.com';
      await db.updateTable('users').set({ email, password_hash }).where('id', '=', id).execute();
      assert.equal((await signIn(world, 'KATE@Example.com')).status, 200);
      for (const other of Object.values(REFUSED).filter((one) => one.length <= 254)) {
        assertError(await signIn(world, other), 401, 'session.wrong_credentials');
        const body = { email: other };
        const reset = await world.call('POST', '/v1/password-resets', { body, from: freshAddress() });
        assert.deepEqual([reset.status, reset.body], [202, { mailed: false }]);
      }
      assertError(await signIn(world, 'a'.repeat(255)), 400, 'request.invalid', 'email');
    });

    it('an account from before this rule signs in with its email as it is stored', async () => {
      const password_hash = await hashOf(world, PASSWORD);
      const { db } = world.service;
      const { id } = await newUser(world);
      const email = 'rené@example.com';
      await db.updateTable('users').set({ email, password_hash }).where('id', '=', id).execute();
      const answer = await signIn(world, 'René@example.com');
      assert.deepEqual([answer.status, answer.body.user?.id], [200, id], answer.text);
      assertError(await signIn(world, 'RENÉ@example.com'), 401, 'session.wrong_credentials');
    });

    it('an address of 254 characters is accepted, and letters of ASCII alone count in lower case', async () => {
      const email = `${LONGEST.slice(0, -4)}TEST`;
      const answer = await invite(email);
      assert.deepEqual([answer.status, answer.body.email], [201, LONGEST], answer.text);
      assert.equal(
        (await invite("O'Hara+x_y.z@XN--EXMPLE-CUA.com")).body.email,
        "o'hara+x_y.z@xn--exmple-cua.com",
      );
    });
  });
