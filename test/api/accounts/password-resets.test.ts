/** New passwords by mail, and what else a mailed address proves; against a real mail server. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { RootOperationNode } from 'kysely';
import { requestPasswordReset, resetPassword } from '../../../src/accounts/password-resets.ts';
import { callAs, cookieOf, hashOf, newSession, newUser, PASSWORD, signIn } from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { MailServer } from '../../helpers/mail-server.ts';
import { assertError } from '../../helpers/shapes.ts';
import { noting } from '../../helpers/statements.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { freshAddress, useWorld, World } from '../../helpers/world.ts';

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = 'quite another password';

for (const engine of engines)
  describe(`new passwords on ${engine}`, () => {
    let server: MailServer;
    let world: World;
    let passwordHash: string;
    before(async () => {
      server = new MailServer({
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('refused') ? new Error('No mailbox') : null),
      });
      const env = { SMTP_URL: `smtp://127.0.0.1:${await server.start()}`, MAIL_FROM: 'links@example.com' };
      world = new World(engine, { ...env, LOG_LEVEL: 'silent' });
      await world.open();
      passwordHash = await hashOf(world, PASSWORD);
    });
    after(async () => {
      await world.remove();
      await server.stop();
    });

    const userWithPassword = async (isProven = false) => {
      const user = await newUser(world, { isProven });
      const { db } = world.service;
      await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute();
      return user;
    };
    const request = (email: string) =>
      world.call('POST', '/v1/password-resets', { body: { email }, from: freshAddress() });
    const use = (token: string, password = NEW_PASSWORD) =>
      world.call('POST', '/v1/password-resets/use', { body: { token, password }, from: freshAddress() });
    const mailsTo = (email: string) => server.mails.filter(({ to }) => to.includes(email));
    /** The token of the newest mail, once there are `count`. */
    const mailedToken = async (email: string, count = 1) => {
      await waitFor('the mail', () => mailsTo(email).length === count || undefined);
      return tokenOf(mailsTo(email).at(-1)?.text ?? '');
    };
    const isProven = async (id: string) => {
      const { db } = world.service;
      const { email_proven_at: at } = await db
        .selectFrom('users')
        .select('email_proven_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return at !== null;
    };

    it('a mailed address sets a password once, ends all sessions, and proves the email', async () => {
      const user = await userWithPassword();
      const answer = await request(user.email.toUpperCase());
      assert.deepEqual([answer.status, answer.body], [202, { mailed: true }]);
      const token = await mailedToken(user.email);
      const done = await use(token);
      assert.equal(done.status, 200, done.text);
      assert.deepEqual([done.body.user.id, done.body.user.isEmailProven], [user.id, true]);
      assertError(await callAs(world, user, 'GET', '/v1/session'), 401, 'session.missing');
      assert.equal((await callAs(world, { cookie: cookieOf(done) }, 'GET', '/v1/session')).status, 200);
      assertError(await signIn(world, user.email), 401, 'session.wrong_credentials');
      assert.equal((await signIn(world, user.email, { password: NEW_PASSWORD })).status, 200);
      assertError(await use(token), 403, 'password_reset.wrong_token');
      const [entry] = (await world.admin('GET', '/audit-log?limit=1&action=password_reset')).body;
      assert.deepEqual([entry.action, entry.details.recordId], ['password_reset.used', user.id]);
    });

    it('an address is used once, also by two at once, and ends the others of the user', async () => {
      const user = await userWithPassword();
      await request(user.email);
      const first = await mailedToken(user.email);
      await request(user.email);
      const second = await mailedToken(user.email, 2);
      const answers = await Promise.all([use(second), use(second), use(first)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403]);
    });

    it('an address ends after an hour, and with a change of the password', async () => {
      const [late, changed] = [await userWithPassword(), await userWithPassword()];
      await Promise.all([request(late.email), request(changed.email)]);
      const [lateToken, changedToken] = [await mailedToken(late.email), await mailedToken(changed.email)];
      const body = { current: PASSWORD, next: NEW_PASSWORD };
      assert.equal((await callAs(world, changed, 'POST', '/v1/session/password', { body })).status, 204);
      assertError(await use(changedToken), 403, 'password_reset.wrong_token');
      world.clock.advance(HOUR_MS + 1);
      assertError(await use(lateToken), 403, 'password_reset.wrong_token');
    });

    it('neither answer nor limit tells whether somebody has the email', async () => {
      const user = await userWithPassword();
      const nobody = `nobody-${engine}@example.com`;
      const texts = new Set<string>();
      for (const email of [user.email, nobody]) {
        for (let number = 0; number < 5; number++) {
          const answer = await request(email);
          assert.equal(answer.status, 202);
          texts.add(answer.text);
        }
        const refused = await request(email);
        assertError(refused, 429, 'rate.limited', '5 mails an hour');
        assert.match(String(refused.headers['ratelimit-policy']), /q=5;w=3600/);
      }
      assert.equal(texts.size, 1);
      await waitFor('five mails', () => mailsTo(user.email).length === 5 || undefined);
      assert.equal(mailsTo(nobody).length, 0);
    });

    it('what is asked of the database before the answer is the same whether or not somebody has the email', async () => {
      const user = await userWithPassword();
      const { db } = world.service;
      const never = { send: () => new Promise<boolean>(() => undefined), close: () => undefined };
      const before = async (email: string) => {
        const asked: RootOperationNode[] = [];
        const deps = { ...world.service, db: noting(db, asked), mailer: never };
        const exchange = {} as Parameters<typeof requestPasswordReset>[1];
        assert.equal(await requestPasswordReset(deps, exchange, email), true);
        return asked.map(({ kind }) => kind);
      };
      const nobody = await before(`stranger-${engine}@example.com`);
      assert.deepEqual(await before(user.email), nobody);
      assert.ok(nobody.length <= 1, 'at most the look-up, whose answer nobody awaits');
    });

    it('an address that was used does not return with a later one', async () => {
      const user = await userWithPassword();
      await request(user.email);
      const token = await mailedToken(user.email);
      // The look-up of the second use comes before the first use, its transaction after a new request.
      const { passwords } = world.service;
      const turn = Promise.withResolvers<void>();
      const slow = {
        ...passwords,
        hash: async (...given: Parameters<typeof passwords.hash>) => {
          await turn.promise;
          return await passwords.hash(...given);
        },
      };
      const exchange = { request: {}, reply: { raw: new EventEmitter() } } as unknown as Parameters<
        typeof resetPassword
      >[1];
      const second = resetPassword({ ...world.service, passwords: slow }, exchange, {
        token,
        password: 'of a second reader',
      });
      const refused = assert.rejects(second, { code: 'password_reset.wrong_token' });
      assert.equal((await use(token)).status, 200);
      await request(user.email);
      await mailedToken(user.email, 2);
      turn.resolve();
      await refused;
      assert.equal((await signIn(world, user.email, { password: NEW_PASSWORD })).status, 200);
    });

    it('a set-up with the email of a user ends the addresses of before', async () => {
      const user = await userWithPassword();
      await request(user.email);
      const token = await mailedToken(user.email);
      const { url } = (await world.admin('POST', '/users/setup')).body;
      const body = { token: url.split('#')[1], email: user.email, name: 'Ada', password: PASSWORD };
      const made = await world.call('POST', '/v1/setup', { body, from: freshAddress() });
      assert.equal(made.status, 201, made.text);
      assertError(await use(token), 403, 'password_reset.wrong_token');
    });

    it('the options of the sign-in say whether mails are sent', async () => {
      assert.equal((await world.call('GET', '/v1/session/options')).body.mail, true);
    });

    it('a user without a password gets no mail: the provider says who may sign in', async () => {
      const user = await newUser(world);
      assert.equal((await request(user.email)).status, 202);
      const other = await userWithPassword();
      await request(other.email);
      await mailedToken(other.email);
      assert.equal(mailsTo(user.email).length, 0);
    });

    it('an operator makes an address to pass on, which proves nothing and is audited', async () => {
      const [operator, user] = [await newUser(world, { isOperator: true }), await userWithPassword()];
      const path = `/v1/admin/users/${user.id}/password-reset`;
      const made = await callAs(world, operator, 'POST', path);
      assert.equal(made.status, 201, made.text);
      const [entry] = (await world.admin('GET', '/audit-log?action=password_reset.address_made&limit=1'))
        .body;
      assert.deepEqual([entry.details.recordId, entry.details.userId], [user.id, operator.id]);
      assert.equal((await use(tokenOf(made.body.url))).body.user.isEmailProven, false);
      assertError(await world.admin('POST', `/users/${operator.id.slice(1)}0/password-reset`), 404);
    });

    it('an address by an operator counts while the author is one', async () => {
      await newUser(world, { isOperator: true });
      const [operator, user] = [await newUser(world, { isOperator: true }), await userWithPassword()];
      const { url } = (await callAs(world, operator, 'POST', `/v1/admin/users/${user.id}/password-reset`))
        .body;
      await world.admin('PATCH', `/users/${operator.id}`, { isOperator: false });
      assertError(await use(tokenOf(url)), 403, 'password_reset.wrong_token');
    });

    it('the mailed address of an invitation proves the email, the one that is passed on does not', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      for (const [email, isMailed] of [
        [`mailed-${engine}@example.com`, true],
        [`passed-on-${engine}@example.com`, false],
      ] as const) {
        const body = { email, role: 'viewer' };
        const { url } = (await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body })).body;
        const token = isMailed ? await mailedToken(email) : tokenOf(url);
        const joined = await world.call('POST', '/v1/invitations/accept', {
          body: { token, name: 'Grace', password: PASSWORD },
          from: freshAddress(),
        });
        assert.equal(joined.status, 200, joined.text);
        assert.equal(await isProven(joined.body.user.id), isMailed, email);
        const again = await world.call('POST', '/v1/invitations/accept', {
          body: { token: isMailed ? tokenOf(url) : await mailedToken(email) },
          headers: { cookie: cookieOf(joined) },
          from: freshAddress(),
        });
        assertError(again, 404, 'invitation.not_found');
      }
    });

    it('a signed-in user proves the email by a mailed invitation, and can be made an operator then', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const user = await newUser(world, { isProven: false });
      const body = { email: user.email, role: 'viewer' };
      await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body });
      const token = await mailedToken(user.email);
      const joined = await callAs(world, user, 'POST', '/v1/invitations/accept', {
        body: { token },
        from: freshAddress(),
      });
      assert.equal(joined.body.user.isEmailProven, true);
      assert.equal((await world.admin('PATCH', `/users/${user.id}`, { isOperator: true })).status, 200);
    });

    it('an operator mails a set-up address, which makes an operator of that email alone', async () => {
      const operator = await newUser(world, { isOperator: true });
      const email = `new-operator-${engine}@example.com`;
      const make = () => callAs(world, operator, 'POST', '/v1/admin/users/setup', { body: { email } });
      const made = await make();
      assert.deepEqual([made.status, made.body], [201, { url: null }], made.text);
      const token = await mailedToken(email);
      const setUp = (as: string) =>
        world.call('POST', '/v1/setup', {
          body: { token, email: as, name: 'Ada', password: PASSWORD },
          from: freshAddress(),
        });
      assertError(await setUp('eve@example.com'), 403, 'setup.wrong_token');
      const { isOperator, isEmailProven } = (await setUp(email)).body.user;
      assert.deepEqual([isOperator, isEmailProven], [true, true]);
      await make();
      const late = await mailedToken(email, 2);
      await world.admin('PATCH', `/users/${operator.id}`, { isOperator: false });
      const body = { token: late, email, name: 'Ada', password: PASSWORD };
      assertError(
        await world.call('POST', '/v1/setup', { body, from: freshAddress() }),
        403,
        'setup.wrong_token',
      );
      const refused = await world.admin('POST', '/users/setup', { email: 'refused@example.com' });
      assertError(refused, 502, 'mail.failed');
    });

    it('a deleted account takes its addresses along', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const user = await userWithPassword();
      await newSession(world, user.id);
      const { db } = world.service;
      const created_at = '2026-01-01T00:00:00.000Z';
      await db
        .insertInto('memberships')
        .values({ app_id: app.id, user_id: user.id, role: 'viewer', created_at })
        .execute();
      await request(user.email);
      const token = await mailedToken(user.email);
      await callAs(world, owner, 'DELETE', `/v1/users/${user.id}`, { appId: app.id });
      assertError(await use(token), 403, 'password_reset.wrong_token');
    });
  });

describe('without a mail server', () => {
  const world = useWorld('sqlite');

  it('a request for a new password says that an operator has to make the address', async () => {
    const user = await newUser(world);
    const answer = await world.call('POST', '/v1/password-resets', { body: { email: user.email } });
    assert.deepEqual([answer.status, answer.body], [202, { mailed: false }]);
    assert.equal((await world.call('GET', '/v1/session/options')).body.mail, false);
  });
});

function tokenOf(text: string): string {
  return /#([\w-]{43})/.exec(text)?.[1] ?? '';
}
