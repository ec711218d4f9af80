/** Links that would lead to themselves, directly or over other links. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAs, newUser } from '../../helpers/accounts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld } from '../../helpers/world.ts';

const DESTINATIONS = ['fallbackUrl', 'iosDestination', 'androidDestination'] as const;

for (const engine of neutralEngines)
  describe(`links in a circle on ${engine}`, () => {
    const world = useWorld(engine, {
      SHORT_LINK_URL: 'https://go.test/base',
      PUBLIC_URL: 'http://links.test:8080',
    });
    let count = 0;
    const newCode = () => `loop-${engine}-${count++}`;
    const create = (app: TestApp, body: object) =>
      world.call('POST', '/v1/links', { key: app.keys.live, body: { deepLinkPath: '/', ...body } });
    const patch = (app: TestApp, code: string, body: object) =>
      world.call('PATCH', `/v1/links/${code}`, { key: app.keys.live, body });
    const loopOf = async (app: TestApp, code: string) => {
      const { body } = await world.call('GET', `/v1/links/${code}/diagnosis`, { key: app.keys.live });
      return body.findings.find((finding: { code: string }) => finding.code === 'destination.loop');
    };

    for (const field of DESTINATIONS)
      it(`a link whose ${field} is itself is refused at creation and by PATCH, however the address is written`, async () => {
        const app = await world.newApp();
        const addresses = (code: string) => [
          ...[
            `https://go.test/base/l/${code}`,
            `https://go.test/l/${code}`,
            `http://links.test:8080/l/${code}`,
          ],
          ...[`https://GO.TEST/base/l/${code}/`, `https://go.test./base/l/${code}?x=1#y`],
          ...[`http://go.test:8443/base/l/${code}`, `https://user@go.test/l/${code}`],
          ...[`https://go.test/base/%6c/${code}`, `https://go.test/base/l/%6c${code.slice(1)}`],
          ...[`https://go.test/x/../base/l/${code}`, `https:\\\\go.test\\base\\l\\${code}`],
          `https://\uff47o.test/base/l/${code}`,
        ];
        for (const address of addresses('CODE')) {
          const code = newCode();
          const to = address.replace(/CODE|%6cODE/, (found) =>
            found === 'CODE' ? code : `%6c${code.slice(1)}`,
          );
          assertError(await create(app, { shortCode: code, [field]: to }), 400, 'request.invalid', field);
          assert.equal((await create(app, { shortCode: code })).status, 201, 'the refused code stays free');
          assertError(await patch(app, code, { [field]: to }), 400, 'request.invalid', field);
        }
      });

    it('links that lead to each other, over any number of links and apps, are refused', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const codes = Array.from({ length: 6 }, newCode);
      const [first = ''] = codes;
      const to = (code: string | undefined) => ({ fallbackUrl: `https://go.test/base/l/${code}` });
      for (const [index, code] of codes.entries()) {
        const owner = index % 2 === 0 ? app : other;
        const answer = await create(owner, { shortCode: code, ...to(codes[index + 1] ?? first) });
        if (index < 5) assert.equal(answer.status, 201, answer.text);
        else assertError(answer, 400, 'request.invalid', `/l/${first} and /l/${codes[1]}`);
      }
      const last = await create(other, { shortCode: codes[5] });
      assert.equal(last.status, 201);
      assertError(await patch(other, codes[5] ?? '', to(first)), 400, 'request.invalid', 'fallbackUrl');
      assert.equal(await loopOf(app, first), undefined);
    });

    it('a link that leads to its own path is refused, and so is a path that a destination leads to', async () => {
      const host = `loops-${engine}-${count++}.example.org`;
      const app = await world.newApp({ shortLinkHost: host });
      for (const address of [
        `https://${host}/base/here`,
        `http://${host}:81/base/HERE/?x=1`,
        `https://${host}/here`,
      ])
        assertError(
          await create(app, { path: 'here', fallbackUrl: address }),
          400,
          'request.invalid',
          'fallbackUrl leads in a circle, over /',
        );
      const below = { path: 'below', passPath: true, fallbackUrl: `https://${host}/base/below/more` };
      assertError(await create(app, below), 400, 'request.invalid', 'circle');
      const there = { path: 'there', fallbackUrl: `https://${host}/base/back` };
      const { shortCode } = (await create(app, there)).body;
      const back = { fallbackUrl: `https://${host}/base/there` };
      assertError(await create(app, { path: 'back', ...back }), 400, 'request.invalid', '/there and /back');
      const other = (await create(app, { path: 'other', ...back })).body;
      assertError(await patch(app, other.shortCode, { path: 'back' }), 400, 'request.invalid', 'circle');
      const moved = await patch(app, shortCode, { path: 'moved', fallbackUrl: `https://${host}/base/there` });
      assert.equal(moved.status, 200, 'the path that the link leaves leads to no link');
      const { body } = await world.call('GET', `/v1/links/${shortCode}/diagnosis`, { key: app.keys.live });
      const unknown = body.findings.find(
        (finding: { code: string }) => finding.code === 'destination.unknown_link',
      );
      assert.match(unknown.message, /no short link at \/there, to which fallbackUrl leads/);
    });

    it('a root or an address for unknown paths that leads back to the host is refused', async () => {
      const host = `settings-${engine}-${count++}.example.org`;
      const app = await world.newApp({ shortLinkHost: host });
      const at = (path: string) => `https://${host}/base${path}`;
      const set = (fields: object) => world.admin('PATCH', `/apps/${app.id}`, fields);
      for (const fields of [
        { rootUrl: at('/') },
        { rootUrl: at('') },
        { notFoundUrl: at('/nowhere') },
        { notFoundUrl: at('/l/nowhere') },
        { rootUrl: at('/nowhere'), notFoundUrl: at('/') },
      ])
        assertError(await set(fields), 400, 'request.invalid', 'leads in a circle');
      await create(app, { path: 'home', fallbackUrl: 'https://www.example.com/' });
      for (const fields of [{ rootUrl: at('/home') }, { notFoundUrl: at('/') }, { rootUrl: at('/docs/') }])
        assert.equal((await set(fields)).status, 200, JSON.stringify(fields));
      await set({ rootUrl: null, notFoundUrl: null });
      const lost = await create(app, { path: 'lost', fallbackUrl: at('/nowhere') });
      assert.equal(lost.status, 201);
      assertError(
        await set({ notFoundUrl: at('/lost') }),
        400,
        'request.invalid',
        'notFoundUrl leads in a circle',
      );
      const made = await world.admin('POST', '/apps', {
        ...{ name: 'Shop', shortLinkHost: `new-${host}`, rootUrl: `https://new-${host}/` },
      });
      assertError(made, 400, 'request.invalid', 'rootUrl leads in a circle');
    });

    it('a chain of links that ends is accepted, and one for each platform that never meets', async () => {
      const app = await world.newApp();
      const [first, second] = [newCode(), newCode()];
      await create(app, { shortCode: first, fallbackUrl: 'https://example.com/' });
      assert.equal(
        (await create(app, { shortCode: second, fallbackUrl: `https://go.test/l/${first}` })).status,
        201,
      );
      for (const fallbackUrl of [
        ...['https://go.test/base/l/unknown-code', 'https://go.test/', 'https://elsewhere.test/l/x'],
        ...[`https://go.test/base/x/l/${second}`, `https://evil.test/?u=https://go.test/l/${second}`],
      ])
        assert.equal((await patch(app, second, { fallbackUrl })).status, 200, fallbackUrl);
      const [ios, android] = [newCode(), newCode()];
      const ends = { fallbackUrl: 'https://example.com/' };
      await create(app, { shortCode: ios, ...ends, iosDestination: `https://go.test/l/${android}` });
      const crossed = await create(app, {
        shortCode: android,
        ...ends,
        androidDestination: `https://go.test/l/${ios}`,
      });
      assert.equal(crossed.status, 201, crossed.text);
    });

    it('a link that leads in a circle once it has expired is refused', async () => {
      const app = await world.newApp();
      const code = newCode();
      const stores = {
        iosDestination: 'https://apps.apple.com/app/id1',
        androidDestination: 'market://details?id=a.b',
      };
      const body = { shortCode: code, ...stores, fallbackUrl: `https://go.test/l/${code}`, expiresInDays: 1 };
      assertError(await create(app, body), 400, 'request.invalid', 'fallbackUrl');
    });

    it('an end set later makes no circle, and a link in a circle that came up later can be ended', async () => {
      const app = await world.newApp();
      const [code, first, second, free] = [newCode(), newCode(), newCode(), newCode()];
      const to = (shortCode: string) => `https://go.test/base/l/${shortCode}`;
      const stores = {
        iosDestination: 'https://apps.apple.com/app/id1',
        androidDestination: 'market://details?id=a.b',
      };
      const past = { expiresAt: '2020-01-01T00:00:00Z' };
      const never = { shortCode: code, fallbackUrl: 'https://example.com/', expiredUrl: to(code) };
      assertError(await create(app, never), 400, 'request.invalid', 'expiredUrl leads in a circle');
      assert.equal((await create(app, { ...never, goneWhenExpired: true, ...past })).status, 201);
      assertError(await patch(app, code, { goneWhenExpired: false }), 400, 'request.invalid', 'expiredUrl');
      // For iPhones alone, once the first link has ended.
      const back = { shortCode: second, iosDestination: to(first), fallbackUrl: 'https://example.com/' };
      assert.equal((await create(app, { shortCode: first, ...stores, fallbackUrl: to(second) })).status, 201);
      assert.equal((await create(app, back)).status, 201);
      assertError(await patch(app, first, past), 400, 'request.invalid', 'fallbackUrl leads in a circle');

      const host = `later-${engine}.example.org`;
      const address = `https://${host}/base/l/${free}`;
      assert.equal((await create(app, { shortCode: free, ...stores, fallbackUrl: address })).status, 201);
      assert.equal((await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: host })).status, 200);
      assert.ok(await loopOf(app, free));
      assert.equal((await patch(app, free, past)).status, 200);
    });

    it('circles over rules and expiredUrl are refused, for visitors who can be led there', async () => {
      const app = await world.newApp();
      const [code, other, third] = [newCode(), newCode(), newCode()];
      const to = (shortCode: string) => `https://go.test/base/l/${shortCode}`;
      const leading = (shortCode: string, when: object = {}) => [
        { when, then: { fallbackUrl: to(shortCode) } },
      ];
      const refused = async (body: object, field: string) => {
        const answer = await create(app, { fallbackUrl: 'https://example.com/', ...body });
        assertError(answer, 400, 'request.invalid', field);
      };
      await refused({ shortCode: code, rules: leading(code, { country: 'DE' }) }, 'rules.0.then.fallbackUrl');
      const ends = { expiresInDays: 1, expiredUrl: to(code) };
      await refused({ shortCode: code, ...ends }, 'expiredUrl');
      const gone = await create(app, { shortCode: code, ...ends, goneWhenExpired: true });
      assert.equal(gone.status, 201, gone.text);
      const onIos = { rules: leading(code, { platform: 'IOS' }) };
      assert.equal((await create(app, { shortCode: other, ...onIos })).status, 201);
      const crossed = await patch(app, code, { rules: leading(other, { platform: 'ANDROID' }) });
      assert.equal(crossed.status, 200, crossed.text);
      const back = { rules: leading(other, { language: 'de' }) };
      assertError(await patch(app, code, back), 400, 'request.invalid', 'rules.0.then.fallbackUrl');
      // Everybody gets the rule, so nobody the fallback.
      const covered = {
        shortCode: third,
        fallbackUrl: to(third),
        rules: [{ when: {}, then: { fallbackUrl: to(other) } }],
      };
      assert.equal((await create(app, covered)).status, 201);
    });

    it('many links whose rules lead to many links are judged in little time', async () => {
      const app = await world.newApp();
      const codes = Array.from({ length: 12 }, newCode);
      for (const [index, shortCode] of codes.entries()) {
        const rules = codes.slice(0, index).map((one, place) => ({
          when: { query: { to: String(place) } },
          then: { fallbackUrl: `https://go.test/base/l/${one}` },
        }));
        const answer = await create(app, { shortCode, fallbackUrl: 'https://example.com/', rules });
        assert.equal(answer.status, 201, answer.text);
      }
      const rules = [
        { when: { country: 'DE' }, then: { fallbackUrl: `https://go.test/base/l/${codes[11]}` } },
      ];
      assertError(await patch(app, codes[0] ?? '', { rules }), 400, 'request.invalid', 'rules.0.then');
    });

    it('defaults of an app that lead its links in a circle are refused', async () => {
      const app = await world.newApp();
      const owner = await newUser(world, { appId: app.id });
      const [own, relay] = [newCode(), newCode()];
      await create(app, { shortCode: own });
      const other = await world.newApp();
      await create(other, { shortCode: relay, fallbackUrl: `https://go.test/l/${own}` });
      for (const code of [own, relay])
        for (const field of DESTINATIONS) {
          const body = { [field]: `https://go.test/l/${code}` };
          const answers = [
            await callAs(world, owner, 'PATCH', '/v1/app', { appId: app.id, body }),
            await world.admin('PATCH', `/apps/${app.id}`, body),
          ];
          for (const answer of answers) assertError(answer, 400, 'request.invalid', field);
        }
      await patch(app, own, { fallbackUrl: 'https://example.com/' });
      const fine = await world.admin('PATCH', `/apps/${app.id}`, { fallbackUrl: `https://go.test/l/${own}` });
      assert.equal(fine.status, 200, fine.text);
      assertError(await patch(app, own, { fallbackUrl: null }), 400, 'request.invalid', 'fallbackUrl');
      const late = await create(app, { shortCode: newCode(), iosDestination: `https://go.test/l/${own}` });
      assert.equal(late.status, 201, late.text);
    });

    it('an app’s own host leads to its own links only, and its links are found at the common host too', async () => {
      const host = `own-${engine}.test`;
      const app = await world.newApp({ shortLinkHost: host });
      const other = await world.newApp();
      const [code, foreign] = [newCode(), newCode()];
      for (const at of [host, 'go.test', host.toUpperCase()]) {
        const body = { shortCode: code, fallbackUrl: `https://${at}/base/l/${code}` };
        assertError(await create(app, body), 400, 'request.invalid', 'fallbackUrl');
      }
      // 404 there, so no circle.
      const answer = await create(other, { shortCode: foreign, fallbackUrl: `https://${host}/l/${foreign}` });
      assert.equal(answer.status, 400, 'a code that is not taken yet may become this link');
    });

    it('the diagnosis finds circles that came up later: by a deleted app host, or in the database', async () => {
      const host = `late-${engine}.test`;
      const app = await world.newApp();
      const code = newCode();
      await create(app, { shortCode: code, fallbackUrl: `https://${host}/l/${code}` });
      assert.equal(await loopOf(app, code), undefined);
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: host });
      world.clock.advance(2_000);
      const finding = await loopOf(app, code);
      assert.equal(finding?.severity, 'error');
      assert.match(finding.message, new RegExp(`fallbackUrl leads in a circle, over /l/${code}:`));
      // What does not make the circle is accepted: other fields, other destinations, its end.
      const same = { fallbackUrl: `https://${host}/l/${code}` };
      const store = { iosDestination: 'https://apps.apple.com/app/id1' };
      for (const body of [{ campaignId: 'x' }, { ...same, ogTitle: 'Shoes' }, store, { expiresInDays: 1 }]) {
        const answer = await patch(app, code, body);
        assert.equal(answer.status, 200, answer.text);
      }
      const other = { iosDestination: `https://go.test/l/${code}` };
      assertError(await patch(app, code, other), 400, 'request.invalid', 'iosDestination');
      assert.equal((await patch(app, code, { expiresAt: '2020-01-01T00:00:00Z' })).status, 200);
      assert.equal((await patch(app, code, { fallbackUrl: null, expiresAt: null })).status, 200);
      assert.equal(await loopOf(app, code), undefined);
    });

    it('the text of a circle names each link once', async () => {
      const host = `once-${engine}.test`;
      const app = await world.newApp();
      const [first, second] = [newCode(), newCode()];
      await create(app, { shortCode: second, fallbackUrl: `https://${host}/l/${second}` });
      await create(app, { shortCode: first, fallbackUrl: `https://go.test/l/${second}` });
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: host });
      world.clock.advance(2_000);
      const { message } = await loopOf(app, first);
      assert.equal(message.split(`/l/${second}`).length, 2, message);
    });

    it('the diagnosis names destinations that are short links which do not exist', async () => {
      const app = await world.newApp();
      const other = await world.newApp();
      const host = `unknown-${engine}.test`;
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: host });
      world.clock.advance(2_000);
      const [code, gone, foreign, there] = [newCode(), newCode(), newCode(), newCode()];
      for (const shortCode of [gone, there]) await create(app, { shortCode });
      await create(other, { shortCode: foreign });
      await world.call('DELETE', `/v1/links/${gone}`, { key: app.keys.live });
      await create(app, { shortCode: code });
      const findingOf = async (fallbackUrl: string) => {
        assert.equal((await patch(app, code, { fallbackUrl })).status, 200);
        const { body } = await world.call('GET', `/v1/links/${code}/diagnosis`, { key: app.keys.live });
        return body.findings.find((one: { code: string }) => one.code === 'destination.unknown_link');
      };
      for (const to of [`go.test/l/${gone}`, 'go.test/base/l/never', `${host}/l/${foreign}`]) {
        const finding = await findingOf(`https://${to}`);
        assert.equal(finding?.severity, 'error', to);
        assert.match(finding.message, /fallbackUrl/);
      }
      for (const to of [`go.test/l/${there}`, `go.test/l/${foreign}`, 'example.com/l/never'])
        assert.equal(await findingOf(`https://${to}`), undefined, to);
    });

    it('a chain of more than 20 links is refused, as browsers refuse it', async () => {
      const app = await world.newApp();
      const codes = Array.from({ length: 23 }, newCode);
      const statuses: number[] = [];
      for (const [index, shortCode] of codes.entries()) {
        const before = codes[index - 1];
        const fallbackUrl = before === undefined ? 'https://example.com/' : `https://go.test/l/${before}`;
        statuses.push((await create(app, { shortCode, fallbackUrl })).status);
      }
      assert.deepEqual(statuses.slice(0, 20), Array(20).fill(201));
      assert.equal(statuses.at(-1) === 400 || statuses.at(-2) === 400, true, statuses.join());
    });
  });
