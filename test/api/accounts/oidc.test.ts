/** Sign-in by OpenID Connect against a real provider. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import {
  callAs,
  cookieOf,
  hashOf,
  newUser,
  PASSWORD,
  signIn as passwordSignIn,
} from '../../helpers/accounts.ts';
import { engines } from '../../helpers/engines.ts';
import { type Person, TestProvider } from '../../helpers/oidc-provider.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type Answer, freshAddress, useWorld, World } from '../../helpers/world.ts';

const CALLBACK = '/v1/session/oidc/callback';
const CONSOLE = 'http://links.test/console/';

for (const engine of engines)
  describe(`OpenID Connect on ${engine}`, () => {
    let provider: TestProvider;
    let world: World;
    let closed: World;
    before(async () => {
      provider = await TestProvider.start(`http://links.test${CALLBACK}`);
      world = new World(engine, { ...provider.env, LOG_LEVEL: 'silent' });
      closed = new World(engine, {
        ...provider.env,
        LOG_LEVEL: 'silent',
        OIDC_ALLOWED_DOMAINS: 'Example.com, example.org',
      });
      await Promise.all([world.open(), closed.open()]);
    });
    after(async () => {
      await Promise.all([world.remove(), closed.remove(), provider.stop()]);
    });

    const personOf = (email: string, fields: Partial<Person> = {}): Person => ({
      ...{ sub: randomUUID(), email, email_verified: true, name: 'Grace' },
      ...fields,
    });
    const begin = async (at: World) => {
      const answer = await at.call('GET', '/v1/session/oidc', { from: freshAddress() });
      assert.equal(answer.status, 302, answer.text);
      const [flow = ''] = cookiesOf(answer);
      return { address: String(answer.headers.location), flow };
    };
    const finish = (at: World, search: string, cookie: string) =>
      at.call('GET', `${CALLBACK}${search}`, { headers: { cookie }, from: freshAddress() });
    const signIn = async (at: World, person: Person) => {
      const { address, flow } = await begin(at);
      return await finish(at, (await provider.signIn(address, person)).search, flow);
    };
    const sessionOf = async (at: World, answer: Answer) => {
      assert.equal(answer.headers.location, CONSOLE);
      const cookie = cookiesOf(answer).find((one) => one.startsWith('throughline_session=')) ?? '';
      return (await callAs(at, { cookie }, 'GET', '/v1/session')).body;
    };

    it('a user with the verified email of the provider signs in, and stays linked when the email changes', async () => {
      const user = await newUser(world);
      const person = personOf(user.email.toUpperCase());
      const session = await sessionOf(world, await signIn(world, person));
      assert.equal(session.user.id, user.id);
      assert.deepEqual(session.signIn, { password: false, oidc: true });
      const renamed = await sessionOf(world, await signIn(world, { ...person, email: 'new@example.net' }));
      assert.equal(renamed.user.id, user.id);
    });

    it('an invited person gets an account and joins the app; a stranger is refused', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const body = { email: 'invited@example.net', role: 'editor' };
      assert.equal(
        (await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body })).status,
        201,
      );
      const session = await sessionOf(world, await signIn(world, personOf(body.email)));
      assert.deepEqual(session.apps, [{ id: app.id, name: 'Test app', role: 'editor' }]);
      assertRefused(await signIn(world, personOf('stranger@example.net')), 'oidc.unknown_user');
    });

    it('an allowed domain needs no invitation and sees no app; a foreign domain is refused, members too', async () => {
      const session = await sessionOf(closed, await signIn(closed, personOf('grace@EXAMPLE.org')));
      assert.deepEqual([session.user.name, session.apps], ['Grace', []]);
      for (const email of ['eve@evil.test', 'eve@notexample.com', 'eve@sub.example.com'])
        assertRefused(await signIn(closed, personOf(email)), 'oidc.foreign_domain');
      const { id } = await newUser(closed);
      await closed.service.db
        .updateTable('users')
        .set({ email: 'a@evil.test' })
        .where('id', '=', id)
        .execute();
      assertRefused(await signIn(closed, personOf('a@evil.test')), 'oidc.foreign_domain');
    });

    it('the first sign-in takes the account from a person who joined by the email without proof', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const email = 'victim@example.com';
      const body = { email, role: 'viewer' };
      const { url } = (await callAs(world, owner, 'POST', '/v1/invitations', { appId: app.id, body })).body;
      const joined = await world.call('POST', '/v1/invitations/accept', {
        body: { token: url.split('#')[1], name: 'Eve', password: PASSWORD },
        from: freshAddress(),
      });
      assert.equal((await passwordSignIn(world, email)).status, 200);
      const session = await sessionOf(world, await signIn(world, personOf(email)));
      assert.deepEqual([session.user.id, session.signIn.password], [joined.body.user.id, false]);
      assertError(
        await callAs(world, { cookie: cookieOf(joined) }, 'GET', '/v1/session'),
        401,
        'session.missing',
      );
      assertError(await passwordSignIn(world, email), 401, 'session.wrong_credentials');
    });

    it('an address for a new password from before ends with the takeover', async () => {
      const user = await newUser(world, { isProven: false });
      const { url } = (await world.admin('POST', `/users/${user.id}/password-reset`)).body;
      await sessionOf(world, await signIn(world, personOf(user.email)));
      const body = { token: url.split('#')[1], password: PASSWORD };
      const used = await world.call('POST', '/v1/password-resets/use', { body, from: freshAddress() });
      assertError(used, 403, 'password_reset.wrong_token');
    });

    it('the page that asked for the sign-in is the one after it, at this service alone', async () => {
      const user = await newUser(world);
      const person = personOf(user.email);
      const beginFrom = (next: string) =>
        world.call('GET', `/v1/session/oidc?next=${encodeURIComponent(next)}`, { from: freshAddress() });
      for (const next of [
        '/app/installs?campaignId=a%20b&from=2026-01-01',
        '//evil.test',
        '/\\evil.test',
        '/../l/phish',
        '/%2e%2e/l/phish',
      ]) {
        const answer = await beginFrom(next);
        const { search } = await provider.signIn(String(answer.headers.location), person);
        const done = await finish(world, search, cookiesOf(answer)[0] ?? '');
        const location = new URL(String(done.headers.location));
        assert.equal(location.href, next.startsWith('/app/') ? `http://links.test/console${next}` : CONSOLE);
        assert.ok(location.href.startsWith('http://links.test/console/'));
      }
      for (const next of [
        'https://evil.test',
        '@evil.test',
        '.evil.test',
        '/a\r\nset-cookie: a=b',
        `/${'a'.repeat(1_024)}`,
      ])
        assertError(await beginFrom(next), 400, 'request.invalid', 'next');
      const answer = await beginFrom('/app/team');
      const stranger = await provider.signIn(String(answer.headers.location), personOf('nobody@example.com'));
      const refused = await finish(world, stranger.search, cookiesOf(answer)[0] ?? '');
      assert.equal(refused.headers.location, `${CONSOLE}?error=oidc.unknown_user&next=%2Fapp%2Fteam`);
    });

    it('an account from before the rule of emails stays linked', async () => {
      const user = await newUser(world);
      const email = `rené-${engine}@example.com`;
      const person = personOf(email);
      const { db } = world.service;
      const changes = { email, oidc_subject: `${provider.env.OIDC_ISSUER} ${person.sub}` };
      assertRefused(await signIn(world, person), 'oidc.invalid_email');
      await db.updateTable('users').set(changes).where('id', '=', user.id).execute();
      assert.equal((await sessionOf(world, await signIn(world, person))).user.id, user.id);
    });

    it('the provider proves the email; a password behind a proven email stays', async () => {
      const [unproven, proven] = [await newUser(world, { isProven: false }), await newUser(world)];
      const password_hash = await hashOf(world, PASSWORD);
      for (const [user, keepsPassword] of [
        [unproven, false],
        [proven, true],
      ] as const) {
        const { db } = world.service;
        await db.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
        const session = await sessionOf(world, await signIn(world, personOf(user.email)));
        assert.deepEqual([session.user.isEmailProven, session.signIn.password], [true, keepsPassword]);
        assert.equal((await callAs(world, user, 'GET', '/v1/session')).status, keepsPassword ? 200 : 401);
      }
    });

    it('the Kelvin sign does not sign in as kate, nor does any other letter that is no ASCII', async () => {
      const { db } = world.service;
      const { id } = await newUser(world);
      await db.updateTable('users').set({ email: 'kate@example.com' }).where('id', '=', id).execute();
      for (const email of [
        ...[
          '\u212aate@example.com',
          '\uff4bate@example.com',
          'kate@ex\u00e4mple.com',
          'kate@\u212aelvin.com',
        ],
        ...['not an email', '<kate@example.com>', `kate@example.com${'m'.repeat(254)}`],
      ])
        assertRefused(await signIn(world, personOf(email)), 'oidc.invalid_email');
      assert.equal((await sessionOf(world, await signIn(world, personOf('KATE@EXAMPLE.COM')))).user.id, id);
    });

    it('claims are bounded: a long or odd sub is refused, a name is cut to one line of 255 characters', async () => {
      for (const sub of ['s'.repeat(256), 'caf\u00e9', 's\u0000'])
        assertRefused(await signIn(world, personOf((await newUser(world)).email, { sub })), 'oidc.failed');
      const name = `\u202eEve\r\n\u0000${'\u{1f600}'.repeat(5_000)}`;
      const person = personOf(`long-name-${engine}@example.org`, { name });
      const session = await sessionOf(closed, await signIn(closed, person));
      assert.ok(session.user.name.length <= 255 && session.user.name.startsWith('Eve \u{1f600}'));
      assert.ok(session.user.name.isWellFormed());
      const odd = { ...personOf(`odd-name-${engine}@example.org`), name: { first: 'Eve' } };
      const other = await sessionOf(closed, await signIn(closed, odd as unknown as Person));
      assert.equal(other.user.name, odd.email);
      const numeric = { ...personOf('x@example.org'), email: 7 } as unknown as Person;
      assertRefused(await signIn(closed, numeric), 'oidc.unverified_email');
    });

    it('an invitation of an author who is no owner any more lets nobody in', async () => {
      const app = await world.newApp();
      const [owner, second] = [
        await newUser(world, { appId: app.id }),
        await newUser(world, { appId: app.id }),
      ];
      const body = { email: 'too-late@example.net', role: 'editor' };
      await callAs(world, second, 'POST', '/v1/invitations', { appId: app.id, body });
      await callAs(world, owner, 'PATCH', `/v1/users/${second.id}`, {
        appId: app.id,
        body: { role: 'viewer' },
      });
      assertRefused(await signIn(world, personOf(body.email)), 'oidc.unknown_user');
    });

    it('an unverified email takes over no account, nor does another person with a linked email', async () => {
      const { email } = await newUser(world);
      for (const fields of [{ email_verified: false }, { email_verified: undefined }])
        assertRefused(
          await signIn(world, personOf(email, fields as Partial<Person>)),
          'oidc.unverified_email',
        );
      await sessionOf(world, await signIn(world, personOf(email)));
      assertRefused(await signIn(world, personOf(email)), 'oidc.unknown_user');
    });

    it('a return with another state, code or browser is refused, and an old one', async () => {
      const { email } = await newUser(world);
      const person = personOf(email);
      const first = await begin(world);
      const { search } = await provider.signIn(first.address, person);
      const other = await begin(world);
      for (const [query, cookie] of [
        [search.replace(/state=[^&]+/, 'state=wrong'), first.flow],
        [search.replace(/code=[^&]+/, 'code=wrong'), first.flow],
        [search, other.flow],
        [search, ''],
        [search, 'throughline_oidc=forged'],
        ['', first.flow],
        ['?error=access_denied', first.flow],
      ] as const)
        assertRefused(await finish(world, query, cookie), 'oidc.failed');
      world.clock.advance(10 * 60_000 + 1);
      assertRefused(await finish(world, search, first.flow), 'oidc.failed');
    });

    it('a code is used once', async () => {
      const { email } = await newUser(world);
      const { address, flow } = await begin(world);
      const { search } = await provider.signIn(address, personOf(email));
      await sessionOf(world, await finish(world, search, flow));
      assertRefused(await finish(world, search, flow), 'oidc.failed');
    });

    it('the request to the provider has PKCE, state and nonce, and no secret', async () => {
      const { address, flow } = await begin(world);
      const { searchParams } = new URL(address);
      for (const name of ['state', 'nonce', 'code_challenge']) {
        const value = searchParams.get(name) ?? '';
        assert.ok(value.length >= 43, name);
        assert.ok(!flow.includes(value), name);
      }
      assert.equal(searchParams.get('code_challenge_method'), 'S256');
      assert.ok(!address.includes('secret'));
    });

    it('the options name the provider', async () => {
      assert.deepEqual((await world.call('GET', '/v1/session/options')).body.oidc, { name: '127.0.0.1' });
    });
  });

describe('without OpenID Connect', () => {
  const world = useWorld('sqlite');

  it('its endpoints get 404, and the options have none', async () => {
    for (const path of ['/v1/session/oidc', CALLBACK])
      assertError(await world.call('GET', path), 404, 'oidc.off');
    assert.equal((await world.call('GET', '/v1/session/options')).body.oidc, null);
  });
});

function cookiesOf({ headers }: Answer): string[] {
  return [headers['set-cookie']].flat().map((line) => String(line).split(';', 1)[0] ?? '');
}

function assertRefused(answer: Answer, code: string): void {
  assert.equal(answer.status, 302, answer.text);
  assert.equal(answer.headers.location, `${CONSOLE}?error=${code}`);
  assert.ok(!cookiesOf(answer).some((cookie) => cookie.startsWith('throughline_session=')));
}
