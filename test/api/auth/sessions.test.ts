/** Sessions: sign-in, expiry, revocation, cross-site requests and limits. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import pino from 'pino';
import { hashToken } from '../../../src/auth/session.ts';
import {
  callAs,
  cookieOf,
  hashOf,
  newSession,
  newUser,
  PASSWORD,
  signIn,
  type TestUser,
} from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import {
  type Answer,
  freshAddress,
  IPHONE_FINGERPRINT,
  type TestApp,
  useWorld,
  type World,
} from '../../helpers/world.ts';

const DAY_MS = 86_400_000;
const NEXT_PASSWORD = 'another long password';

for (const engine of engines)
  describe(`sessions on ${engine}`, () => {
    const logged: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => logged.push(line) });
    const world = useWorld(engine, { PUBLIC_URL: 'https://links.test/at' }, { log });
    let app: TestApp;
    let passwordHash: string;
    before(async () => {
      app = await world.newApp();
      passwordHash = await hashOf(world, PASSWORD);
    });
    const userWithPassword = () => newUserWithPassword(world, { appId: app.id, passwordHash });
    const readSession = (cookie: string, headers = {}) =>
      callAs(world, { cookie }, 'GET', '/v1/session', { headers });

    it('signing in returns the user and the apps, and its cookie opens the API of the app', async () => {
      const user = await userWithPassword();
      const answer = await signIn(world, user.email.toUpperCase());
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.user.email, user.email);
      assert.deepEqual(answer.body.apps, [{ id: app.id, name: 'Test app', role: 'owner' }]);
      assert.deepEqual(answer.body.signIn, { password: true, oidc: false });
      assert.deepEqual((await readSession(cookieOf(answer))).body, answer.body);
      const cookie = cookieOf(answer);
      const made = await callAs(world, { cookie }, 'POST', '/v1/links', {
        appId: app.id,
        body: { deepLinkPath: '/' },
      });
      assert.equal(made.status, 201, made.text);
    });

    it('cookies are HttpOnly, Secure, SameSite=Strict and of this host alone', async () => {
      const { headers } = await signIn(world, (await userWithPassword()).email);
      const cookies = [headers['set-cookie']].flat().map((line) => String(line).split('; '));
      assert.deepEqual(
        cookies.map(([pair = '']) => pair.split('=', 1)[0]),
        ['__Host-throughline_session', '__Host-throughline_browser'],
      );
      for (const [, ...attributes] of cookies)
        assert.deepEqual(attributes.sort(), [
          ...['HttpOnly', 'Max-Age=34560000', 'Path=/', 'SameSite=Strict', 'Secure'],
        ]);
    });

    it('a session cookie from before TLS opens nothing, and ends with the next sign-in', async () => {
      const user = await userWithPassword();
      const former = user.cookie.replace('__Host-', '');
      assertError(await readSession(former), 401, 'session.missing');
      const answer = await signIn(world, user.email, { cookie: former });
      const removal = [answer.headers['set-cookie']].flat().find((line) => /^throughline/.test(String(line)));
      assert.match(String(removal), /^throughline_session=; Max-Age=0; Path=\/at;/);
      assertError(await readSession(user.cookie), 401, 'session.missing');
    });

    it('a wrong password and an unknown email get the same answer', async () => {
      const wrong = await signIn(world, (await userWithPassword()).email, { password: 'wrong' });
      const unknown = await signIn(world, 'nobody@example.com');
      const withoutPassword = await signIn(world, (await newUser(world)).email);
      for (const answer of [wrong, unknown, withoutPassword]) {
        assertError(answer, 401, 'session.wrong_credentials');
        assert.equal(answer.text, wrong.text);
        assert.equal(answer.headers['set-cookie'], undefined);
      }
    });

    it('a cookie from before the sign-in is not the session after it', async () => {
      const user = await userWithPassword();
      const foreign = (await userWithPassword()).cookie;
      for (const before of ['__Host-throughline_session=chosen-by-an-attacker', foreign]) {
        const after = cookieOf(await signIn(world, user.email, { cookie: before }));
        assert.notEqual(after, before);
        assert.equal((await readSession(after)).body.user.id, user.id);
        assertError(await readSession(before), 401, 'session.missing');
      }
    });

    it('signing out ends the session and removes the cookie', async () => {
      const { cookie } = await newUser(world);
      const answer = await callAs(world, { cookie }, 'DELETE', '/v1/session');
      assert.equal(answer.status, 204);
      assert.match(String(answer.headers['set-cookie']), /^__Host-throughline_session=; Max-Age=0;/);
      assertError(await readSession(cookie), 401, 'session.missing');
    });

    it('a session ends after seven days without use, and lasts while it is used', async () => {
      const [used, unused] = [await newUser(world, { appId: app.id }), await newUser(world)];
      for (let days = 0; days < 8; days += 4) {
        world.clock.advance(4 * DAY_MS);
        assert.equal(
          (await callAs(world, used, 'GET', '/v1/links', { appId: app.id })).status,
          200,
          `${days} days`,
        );
      }
      assertError(await readSession(unused.cookie), 401, 'session.missing');
      assert.equal((await readSession(used.cookie)).status, 200);
      world.clock.advance(7 * DAY_MS);
      assertError(await readSession(used.cookie), 401, 'session.missing');
    });

    it('a user lists and revokes own sessions, not those of others', async () => {
      const [user, other] = [await newUser(world), await newUser(world)];
      const second = await newSession(world, user.id);
      const list = await callAs(world, user, 'GET', '/v1/sessions');
      assert.deepEqual(
        list.body.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent),
        [false, true],
      );
      const path = `/v1/sessions/${list.body[0].id}`;
      assertError(await callAs(world, other, 'DELETE', path), 404, 'session.not_found');
      assert.equal((await callAs(world, user, 'DELETE', path)).status, 204);
      assertError(await readSession(second), 401, 'session.missing');
      assert.equal((await readSession(user.cookie)).status, 200);
    });

    it('a list of sessions names browser and system in words', async () => {
      const user = await userWithPassword();
      const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
      const answer = await world.call('POST', '/v1/session', {
        body: { email: user.email, password: PASSWORD },
        from: freshAddress(),
        headers: { 'user-agent': userAgent },
      });
      const [own, before] = (await callAs(world, { cookie: cookieOf(answer) }, 'GET', '/v1/sessions')).body;
      const { id, createdAt, lastUsedAt, ...rest } = own;
      const words = { browser: 'Firefox 140', system: 'Linux' };
      assert.deepEqual(rest, { userAgent, ...words, isCurrent: true });
      assert.deepEqual([before.browser, before.system], [null, null]);
    });

    it('a user ends all other sessions of the own, and those of nobody else', async () => {
      const [user, other] = [await newUser(world), await newUser(world)];
      const more = [await newSession(world, user.id), await newSession(world, user.id)];
      assert.equal((await callAs(world, user, 'DELETE', '/v1/sessions')).status, 204);
      for (const cookie of more) assertError(await readSession(cookie), 401, 'session.missing');
      for (const { cookie } of [user, other]) assert.equal((await readSession(cookie)).status, 200);
      assert.equal((await callAs(world, user, 'GET', '/v1/sessions')).body.length, 1);
    });

    it('a changed password ends the other sessions, and only it signs in', async () => {
      const user = await userWithPassword();
      const other = await newSession(world, user.id);
      const change = (current: string) =>
        callAs(world, user, 'POST', '/v1/session/password', {
          body: { current, next: NEXT_PASSWORD },
          from: freshAddress(),
        });
      assertError(await change('wrong'), 403, 'password.wrong');
      assert.equal((await readSession(other)).status, 200);
      assert.equal((await change(PASSWORD)).status, 204);
      assertError(await readSession(other), 401, 'session.missing');
      assert.equal((await readSession(user.cookie)).status, 200);
      assertError(await signIn(world, user.email), 401, 'session.wrong_credentials');
      assert.equal((await signIn(world, user.email, { password: NEXT_PASSWORD })).status, 200);
    });

    it('a request that a page of another origin caused is refused, reads too', async () => {
      const user = await newUser(world, { appId: app.id });
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.test' },
        { origin: 'null' },
        { 'sec-fetch-site': 'same-origin', origin: 'http://links.test' },
      ] as Record<string, string>[])
        for (const [method, path] of [
          ['GET', '/v1/session'],
          ['GET', '/v1/links'],
          ['POST', '/v1/links'],
          ['GET', '/v1/live'],
          ['GET', '/v1/keys'],
          ['GET', '/v1/admin/apps'],
          ['POST', '/v1/admin/apps'],
          ['POST', '/v1/session'],
        ] as const) {
          const body = method === 'POST' ? { deepLinkPath: '/' } : undefined;
          const answer = await callAs(world, user, method, path, { appId: app.id, headers, body });
          assertError(answer, 403, 'session.cross_site');
        }
      for (const headers of [
        { 'sec-fetch-site': 'same-origin', origin: 'https://links.test' },
        { 'sec-fetch-site': 'none' },
      ] as Record<string, string>[])
        assert.equal((await readSession(user.cookie, headers)).status, 200);
    });

    it('a page of another origin cannot sign its user in', async () => {
      const { email } = await userWithPassword();
      const answer = await world.call('POST', '/v1/session', {
        body: { email, password: PASSWORD },
        headers: { origin: 'https://evil.test' },
        from: freshAddress(),
      });
      assertError(answer, 403, 'session.cross_site');
    });

    it('a key in X-Api-Key counts before the session', async () => {
      const other = await newUser(world);
      const both = { key: app.keys.live, headers: { cookie: other.cookie } };
      assert.equal((await world.call('GET', '/v1/links', both)).status, 200);
      assertError(await world.call('GET', '/v1/links', { ...both, key: 'wrong' }), 401, 'key.invalid');
    });

    it('a changed password is the session’s own, whatever user the request names', async () => {
      const [user, operator] = [await userWithPassword(), await newUser(world, { isOperator: true })];
      const named = { user: { id: operator.id, email: user.email, password_hash: passwordHash } };
      const body = { current: PASSWORD, next: NEXT_PASSWORD, signedIn: { ...named, session: { id: 'x' } } };
      assert.equal((await callAs(world, user, 'POST', '/v1/session/password', { body })).status, 204);
      assertError(
        await signIn(world, operator.email, { password: NEXT_PASSWORD }),
        401,
        'session.wrong_credentials',
      );
      assert.equal((await readSession(operator.cookie)).status, 200);
      assert.equal((await signIn(world, user.email, { password: NEXT_PASSWORD })).status, 200);
    });

    it('five wrong passwords from an address keep it out for a minute and nobody else, unknown accounts alike', async () => {
      const user = await userWithPassword();
      for (const email of [user.email, 'limited-nobody@example.com']) {
        const from = freshAddress();
        for (let number = 0; number < 5; number++)
          assert.equal((await signIn(world, email, { password: 'wrong', from })).status, 401);
        assertError(await signIn(world, email, { from }), 429, 'rate.limited', 'for this account');
      }
      assert.equal((await signIn(world, user.email)).status, 200);
    });

    it('passwords from all addresses are limited, but not those from a browser that has signed in', async () => {
      const { email } = await userWithPassword();
      const known = allCookiesOf(await signIn(world, email));
      const { rateLimits, secrets } = world.service;
      const limit = { name: 'sign-in-strangers', points: 200, seconds: 3_600, shared: true };
      await rateLimits.counterOf(limit).take(secrets.hashRequest(email), 199);
      assert.equal((await signIn(world, email, { password: 'wrong' })).status, 401);
      assertError(await signIn(world, email), 429, 'rate.limited', 'a browser in which you signed in');
      const from = freshAddress();
      for (let number = 0; number < 4; number++)
        assert.equal((await signIn(world, email, { cookie: known, password: 'wrong', from })).status, 401);
      assert.equal((await signIn(world, email, { cookie: known, from })).status, 200);
      // It has a limit of its own, whatever its address.
      assertError(await signIn(world, email, { cookie: known }), 429, 'rate.limited');
      const forged = known.replace(/(__Host-throughline_browser=.)[\w-]+/, '$1forged');
      assertError(await signIn(world, email, { cookie: forged }), 429, 'rate.limited', 'a browser');
    });

    it('a browser that knows one account, or a former password, is a stranger to the others', async () => {
      const [user, other] = [await userWithPassword(), await userWithPassword()];
      const known = allCookiesOf(await signIn(world, user.email));
      const { rateLimits, secrets } = world.service;
      const limit = { name: 'sign-in-strangers', points: 200, seconds: 3_600, shared: true };
      for (const { email } of [user, other])
        await rateLimits.counterOf(limit).take(secrets.hashRequest(email), 200);
      assertError(await signIn(world, other.email, { cookie: known }), 429, 'rate.limited');
      const body = { current: PASSWORD, next: NEXT_PASSWORD };
      assert.equal((await callAs(world, user, 'POST', '/v1/session/password', { body })).status, 204);
      assertError(
        await signIn(world, user.email, { cookie: known, password: NEXT_PASSWORD }),
        429,
        'rate.limited',
      );
    });

    it('right passwords count against the minute alone', async () => {
      const { email } = await userWithPassword();
      for (let minute = 0; minute < 6; minute++) {
        const from = freshAddress();
        for (let number = 0; number < 4; number++)
          assert.equal((await signIn(world, email, { from })).status, 200);
      }
      const { rateLimits, secrets } = world.service;
      const limit = { name: 'sign-in-strangers', points: 200, seconds: 3_600, shared: true };
      const count = await rateLimits.counterOf(limit).take(secrets.hashRequest(email));
      assert.equal(count?.remaining, 199);
    });

    it('sign-ins are limited by address', async () => {
      const from = freshAddress();
      // Invalid ones count, too.
      const attempt = () => world.call('POST', '/v1/session', { body: {}, from });
      for (let number = 0; number < 20; number++) assert.equal((await attempt()).status, 400);
      assertError(await attempt(), 429, 'rate.limited');
    });

    it('the live stream takes the app from the query, and ends with the session', async () => {
      const user = await newUser(world, { appId: app.id });
      const { api } = world.service;
      if (!api.server.listening) await api.listen({ host: '127.0.0.1', port: 0 });
      const { port } = api.server.address() as AddressInfo;
      const stream = await fetch(`http://127.0.0.1:${port}/v1/live?appId=${app.id}`, {
        headers: { cookie: user.cookie },
      });
      assert.equal(stream.status, 200);
      await callAs(world, user, 'DELETE', '/v1/session');
      // Ends only once the service closes it.
      await stream.text();
    });

    it('debugging needs no key with a session, and a session without the app gets 404', async () => {
      const viewer = await newUser(world, { appId: app.id, role: 'viewer' });
      const debug = (appId: string) =>
        callAs(world, viewer, 'POST', '/v1/debug/attribution', {
          appId,
          body: { fingerprint: IPHONE_FINGERPRINT },
          from: freshAddress(),
        });
      const answer = await debug(app.id);
      assert.equal(answer.status, 200, answer.text);
      assertError(await debug((await world.newApp()).id), 404, 'app.not_found');
    });

    it('the log has no token, password or email', async () => {
      const user = await userWithPassword();
      const cookie = cookieOf(await signIn(world, user.email));
      await signIn(world, user.email, { password: 'a wrong password' });
      const { url } = (
        await callAs(world, user, 'POST', '/v1/invitations', {
          appId: app.id,
          body: { email: 'logged@example.com', role: 'viewer' },
        })
      ).body;
      await world.call('POST', '/v1/invitations/accept', {
        body: { token: url.split('#')[1], name: 'Ada', password: PASSWORD },
        from: freshAddress(),
      });
      // A failure that is logged.
      await world.service.db.schema.alterTable('sessions').renameTo('sessions_away').execute();
      const failed = await callAs(world, { cookie }, 'GET', '/v1/session');
      await world.service.db.schema.alterTable('sessions_away').renameTo('sessions').execute();
      assert.equal(failed.status, 500);
      assert.match(logged.join(''), /Request failed/);
      for (const secret of [
        cookie.split('=')[1],
        PASSWORD,
        'a wrong password',
        url.split('#')[1],
        '@example',
      ])
        assert.ok(secret !== undefined && !logged.join('').includes(secret), secret);
    });

    it('the database has no token and no password, only hashes', async () => {
      const answer = await signIn(world, (await userWithPassword()).email);
      const token = cookieOf(answer).split('=')[1] ?? '';
      const sessions = await world.service.db.selectFrom('sessions').selectAll().execute();
      assert.ok(sessions.some((row) => row.token_hash === hashToken(token)));
      assert.ok(!JSON.stringify(sessions).includes(token));
      assert.ok(!answer.text.includes(token) && !answer.text.includes('scrypt'));
    });

    it('the audit log names the user of a change, with the email at the time', async () => {
      const user = await newUser(world, { appId: app.id });
      const { body } = await callAs(world, user, 'POST', '/v1/links', {
        appId: app.id,
        body: { deepLinkPath: '/audited' },
      });
      const entries = (await callAs(world, user, 'GET', '/v1/audit-log', { appId: app.id })).body as {
        details: Record<string, unknown>;
      }[];
      const entry = entries.find(({ details }) => details.recordId === body.id);
      const { changedBy, userId, userEmail } = entry?.details ?? {};
      assert.deepEqual([changedBy, userId, userEmail], ['user', user.id, user.email]);
    });
  });

describe('sign-ins that take as long as in production', () => {
  const world = useWorld('sqlite', {}, { passwordCost: { log2N: 15, r: 8, p: 3 } });

  it('a browser that has signed in before waits for no flood of strangers, and another address for few of them', async () => {
    const { email } = await newUserWithPassword(world, { appId: (await world.newApp()).id });
    const cookie = allCookiesOf(await signIn(world, email));
    let isOver = 0;
    const flood = [freshAddress(), freshAddress()].flatMap((from) =>
      Array.from({ length: 20 }, async (_, number) => {
        const { status } = await signIn(world, `made-up-${number}-${from}@example.com`, { from });
        if (status !== 503) isOver += 1;
        return status;
      }),
    );
    await Promise.race(flood);
    const beforeUs = isOver;
    const known = signIn(world, email, { cookie }).then(({ status }) => [status, isOver - beforeUs] as const);
    const other = await signIn(world, email);
    const [status, before] = await known;
    assert.equal(status, 200);
    // The two that run, and those whose turn comes beside it; a line of all would put five before it.
    assert.ok(before <= 4, `${before} strangers were served before`);
    assert.equal(other.status, 200);
    const served = (await Promise.all(flood)).filter((one) => one === 401);
    assert.ok(served.length <= 8, `${served.length} of the flood were served`);
  });
});

/** An owner of the app who has a password. */
async function newUserWithPassword(
  world: World,
  { appId, passwordHash }: { appId: string; passwordHash?: string },
): Promise<TestUser> {
  const user = await newUser(world, { appId });
  await world.service.db
    .updateTable('users')
    .set({ password_hash: passwordHash ?? (await hashOf(world, PASSWORD)) })
    .where('id', '=', user.id)
    .execute();
  return user;
}

/** Of all cookies that a response sets. */
function allCookiesOf({ headers }: Answer): string {
  return [headers['set-cookie']]
    .flat()
    .map((line) => String(line).split(';', 1)[0])
    .join('; ');
}
