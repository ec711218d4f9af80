import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { CODES, type Code, severityOf } from '../../../src/diagnosis/run-checks.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { type TestApp, useWorld, World } from '../../helpers/world.ts';

const APP_STORE = 'https://apps.apple.com/de/app/shop/id525463029';
const PLAY = 'https://play.google.com/store/apps/details?id=com.example.shop';

const HEALTHY_APP = {
  name: 'Shop',
  iosTeamId: 'A1B2C3D4E5',
  iosBundleId: 'com.example.shop',
  iosAppStoreId: '525463029',
  androidPackage: 'com.example.shop',
  androidCertFingerprints: [Array.from({ length: 32 }, () => 'AB').join(':')],
  urlScheme: 'shop',
};
const HEALTHY_DESTINATIONS = {
  iosDestination: APP_STORE,
  androidDestination: PLAY,
  fallbackUrl: 'https://shop.example.com/shoes/42',
};
const HEALTHY_LINK = { ...HEALTHY_DESTINATIONS, ogTitle: 'Red shoes' };
const ELSEWHERE = { androidDestination: 'https://shop.example.com/android' };

const ruleOf = (when: object, then: object = { campaignId: 'germany' }) => ({ when, then });

interface Scenario {
  readonly app?: Record<string, unknown>;
  readonly link?: Record<string, unknown>;
  /** Age of the link. */
  readonly days?: number;
  /** Further findings with the same cause. */
  readonly also?: readonly Code[];
}

/** Changes to a healthy link and app that lead to each finding. */
const FAULTY: Readonly<Record<Exclude<Code, OwnTestCode>, readonly Scenario[]>> = {
  'expiry.past': [
    { link: { expiresInDays: 10 }, days: 10 },
    { link: { expiresInDays: 10, fallbackUrl: null }, days: 10 },
    { link: { expiresInDays: 10, ogTitle: null }, days: 10 },
    { link: { expiresInDays: 10, ogImage: 'http://example.com/red.png' }, days: 10 },
  ],
  'expiry.soon': [{ link: { expiresInDays: 7 } }, { link: { expiresInDays: 30 }, days: 29 }],
  'destination.ios_missing': [
    { link: { iosDestination: null, fallbackUrl: null }, also: ['destination.others_missing'] },
  ],
  'destination.android_missing': [
    { link: { androidDestination: null, fallbackUrl: null }, also: ['destination.others_missing'] },
  ],
  'destination.others_missing': [{ link: { fallbackUrl: null } }],
  'sandbox.live_key': [{ link: { sandbox: true } }],
  'card.missing': [{ link: { ogTitle: null } }],
  'card.image_not_https': [{ link: { ogImage: 'http://example.com/red.png' } }],
  'rule.never_wins': [
    { link: { rules: [ruleOf({ platform: 'IOS' }), ruleOf({ platform: 'IOS', country: 'DE' })] } },
    { link: { rules: [ruleOf({ to: '2020-01-01T00:00:00Z' })] } },
    { link: { rules: [ruleOf({ country: 'DE', percent: 0 })] } },
  ],
  'ios.not_app_store': [
    { link: { iosDestination: 'https://shop.example.com/ios' } },
    { link: { rules: [ruleOf({ country: 'DE' }, { iosDestination: 'https://shop.example.com/ios' })] } },
    { link: { iosDestination: 'https://apps.apple.com.example.com/app/id525463029' } },
    { link: { iosDestination: null }, app: { iosDestination: PLAY } },
  ],
  'ios.no_id_in_address': [
    { link: { iosDestination: 'https://apps.apple.com/de/app/shop' } },
    { link: { iosDestination: 'itms-apps://apps.apple.com/app/ident' } },
  ],
  'ios.other_app': [
    { link: { iosDestination: 'https://apps.apple.com/app/id52546302' } },
    { link: { iosDestination: 'itms-apps://itunes.apple.com/WebObjects/x?id=7' } },
    { app: { iosAppStoreId: '7' } },
  ],
  'ios.app_store_id_unset': [{ app: { iosAppStoreId: null } }],
  'android.not_play': [
    { link: { androidDestination: 'https://shop.example.com/android' } },
    { link: { androidDestination: 'https://play.google.com/store/apps/dev?id=5700313618786177705' } },
  ],
  'android.no_package_in_address': [
    { link: { androidDestination: 'https://play.google.com/store/apps/details' } },
    { link: { androidDestination: 'market://search?q=shop' } },
  ],
  'android.other_app': [
    { link: { rules: [ruleOf({ country: 'DE' }, { androidDestination: 'market://details?id=com.other' })] } },
    { link: { androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shoes' } },
    { link: { androidDestination: 'market://details?id=com.example.Shop' } },
    { app: { androidPackage: 'com.example' } },
  ],
  'association.ios_missing': [{ app: { iosTeamId: null } }, { app: { iosBundleId: null } }],
  'association.ios_team_form': [{ app: { iosTeamId: 'a1b2c3d4e5' } }, { app: { iosTeamId: 'com' } }],
  'association.android_package_missing': [{ app: { androidPackage: null } }],
  'association.android_fingerprints_missing': [{ app: { androidCertFingerprints: [] } }],
  'scheme.missing': [
    { app: { urlScheme: null, iosTeamId: null }, also: ['association.ios_missing'] },
    {
      app: { urlScheme: null, androidCertFingerprints: [] },
      also: ['association.android_fingerprints_missing'],
    },
  ],
  'matching.ios_impossible': [
    { app: { fingerprintIos: false } },
    {
      app: { fingerprintIos: false, clipboardToken: true, landingPage: 'never' },
      also: ['matching.token_without_page'],
    },
  ],
  'matching.android_impossible': [
    { app: { fingerprintAndroid: false }, link: ELSEWHERE, also: ['android.not_play'] },
  ],
  'matching.ios_without_page': [{ link: { landingPage: 'never' } }, { app: { landingPage: 'never' } }],
  'matching.android_without_page': [
    {
      link: { ...ELSEWHERE, landingPage: 'never' },
      also: ['android.not_play', 'matching.ios_without_page'],
    },
  ],
  'matching.token_without_page': [
    { app: { clipboardToken: true, landingPage: 'never' }, also: ['matching.ios_without_page'] },
  ],
  'association.manifest_path': [{ link: { path: 'summer/sale' } }],
  'host.not_public': ['shop.internal', 'shop.localhost', 'shop', 'shop.home.arpa'].map((shortLinkHost) => ({
    app: { shortLinkHost },
  })),
};

/** Changes that lead to no finding. */
const HARMLESS: Readonly<Record<string, Scenario>> = {
  'a link that expires in more than a week': { link: { expiresInDays: 8 } },
  'an App Store address with the itms-apps scheme': {
    link: { iosDestination: 'itms-apps://itunes.apple.com/app/id525463029' },
  },
  'an older App Store address': {
    link: { iosDestination: 'https://itunes.apple.com/WebObjects/x?id=525463029&mt=8' },
  },
  'a TestFlight address': { link: { iosDestination: 'https://testflight.apple.com/join/abc' } },
  'a Play address with the market scheme': {
    link: { androidDestination: 'market://details?id=com.example.shop' },
  },
  'destinations of the app instead of the link': {
    link: { iosDestination: null, androidDestination: null, fallbackUrl: null },
    app: HEALTHY_DESTINATIONS,
  },
  'an app for Android only': {
    link: { iosDestination: null },
    app: { iosTeamId: null, iosBundleId: null, iosAppStoreId: null },
  },
  'an app for iOS only': {
    link: { androidDestination: null },
    app: { androidPackage: null, androidCertFingerprints: [] },
  },
  'an associated app without a scheme': { app: { urlScheme: null } },
  'fingerprintIos off with a clipboard token': {
    app: { fingerprintIos: false, clipboardToken: true },
  },
  'fingerprintAndroid off with a Play address': { app: { fingerprintAndroid: false } },
  'a landing page for all visitors': { link: { landingPage: 'always' } },
};

/** Findings by SHORT_LINK_URL, for an app without its own host. */
const HOSTS: Readonly<Record<string, readonly Code[]>> = {
  'http://go.example.com': ['host.not_https'],
  'https://go.example.com:8443/go': ['host.has_port', 'host.has_path'],
  'https://1.1.1.1': ['host.is_address'],
  'http://[::1]:8080': ['host.not_public', 'host.not_https', 'host.has_port'],
  'https://192.168.1.5': ['host.not_public'],
};

/** Codes that have their own tests. */
type OwnTestCode =
  // test/api/links/loops.test.ts
  | 'destination.loop'
  | 'destination.unknown_link'
  | 'association.host_shared'
  | 'association.path_not_claimed'
  | 'path.without_host'
  | 'host.not_https'
  | 'host.is_address'
  | 'host.has_port'
  | 'host.has_path';

let hosts = 0;
function freshHost(): string {
  hosts += 1;
  return `shop${hosts}.example.com`;
}

async function newLink(world: World, { app = {}, link = {} }: Scenario = {}) {
  const made = await world.newApp({ ...HEALTHY_APP, shortLinkHost: freshHost(), ...app });
  return { app: made, ...(await world.newLink(made, { ...HEALTHY_LINK, ...link })) };
}

async function diagnose(world: World, app: TestApp, shortCode: string, key = app.keys.live) {
  return await world.call('GET', `/v1/links/${shortCode}/diagnosis`, { key });
}

interface Finding {
  readonly severity: string;
  readonly code: Code;
  readonly message: string;
  readonly mend: string;
}

async function findingsOf(world: World, app: TestApp, shortCode: string, key?: string): Promise<Finding[]> {
  const { status, body, text } = await diagnose(world, app, shortCode, key);
  assert.equal(status, 200, text);
  return body.findings;
}

async function codesOf(world: World, app: TestApp, shortCode: string, key?: string): Promise<Code[]> {
  return (await findingsOf(world, app, shortCode, key)).map(({ code }) => code);
}

for (const engine of engines)
  describe(`the diagnosis of a link on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.example.com' });

    it('has no findings for a healthy link', async () => {
      const { app, shortCode, shortUrl } = await newLink(world);
      const { body } = await diagnose(world, app, shortCode);
      assert.deepEqual([body.shortCode, body.shortUrl, body.findings], [shortCode, shortUrl, []]);
    });

    for (const [code, scenarios] of Object.entries(FAULTY))
      it(`finds ${code} only`, async () => {
        for (const scenario of scenarios) {
          const { app, shortCode } = await newLink(world, scenario);
          world.clock.advance((scenario.days ?? 0) * DAY_MS);
          const found = await codesOf(world, app, shortCode);
          assert.deepEqual(found.sort(), [code, ...(scenario.also ?? [])].sort(), JSON.stringify(scenario));
        }
      });

    for (const [title, scenario] of Object.entries(HARMLESS))
      it(`finds nothing for ${title}`, async () => {
        const { app, shortCode } = await newLink(world, scenario);
        assert.deepEqual(await codesOf(world, app, shortCode), []);
      });

    it('finds association.host_shared for another app at the host, but not for a second one with the same bundle', async () => {
      const { app, shortCode } = await newLink(world, { app: { shortLinkHost: null } });
      await world.newApp({ ...HEALTHY_APP, name: 'Shop, staging' });
      assert.deepEqual(await codesOf(world, app, shortCode), []);
      const other = await world.newApp({ ...HEALTHY_APP, iosBundleId: 'com.example.other' });
      const found = await findingsOf(world, app, shortCode);
      assert.deepEqual(
        found.map(({ code, message }) => [code, message.split(' at ')[0]]),
        [['association.host_shared', '2 apps claim the links']],
      );
      await world.admin('PATCH', `/apps/${other.id}`, { shortLinkHost: freshHost() });
      assert.deepEqual(await codesOf(world, app, shortCode), []);
    });

    it('finds path.without_host once the app has no host of its own, and association.path_not_claimed for a page of the service', async () => {
      const { app, id, shortCode } = await newLink(world, { link: { path: 'summer' } });
      await world.service.db.updateTable('links').set({ path: 'docs/x' }).where('id', '=', id).execute();
      await world.admin('PATCH', `/apps/${app.id}`, { androidPackage: null, androidCertFingerprints: [] });
      world.clock.advance(MINUTE_MS);
      assert.ok((await codesOf(world, app, shortCode)).includes('association.path_not_claimed'));
      await world.admin('PATCH', `/apps/${app.id}`, { shortLinkHost: null });
      world.clock.advance(MINUTE_MS);
      assert.ok((await codesOf(world, app, shortCode)).includes('path.without_host'));
    });

    it('lists the most severe findings first, each with a remedy', async () => {
      const { app, shortCode } = await newLink(world, {
        link: { fallbackUrl: null, iosDestination: null, expiresInDays: 1, ogTitle: null, sandbox: true },
        app: { iosTeamId: null, androidPackage: 'com.other' },
      });
      const found = await findingsOf(world, app, shortCode);
      const order = found.map(({ severity }) => ['error', 'warning', 'info'].indexOf(severity));
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
      assert.ok(new Set(order).size === 3 && found.length >= 7, JSON.stringify(found));
      for (const { message, mend } of found) {
        assert.match(message, /^[A-Za-z].*\.$/s);
        assert.match(mend, /^(Add|Complete|Correct|Give|Have|If|Run|Serve|Set) .*\.$/s);
      }
    });

    it('mentions stores on the page for computers only if the link has any', async () => {
      const messages = await Promise.all(
        [{ fallbackUrl: null }, { iosDestination: null, androidDestination: null, fallbackUrl: null }].map(
          async (link) => {
            const { app, shortCode } = await newLink(world, { link });
            const found = await findingsOf(world, app, shortCode);
            return found.find(({ code }) => code === 'destination.others_missing')?.message;
          },
        ),
      );
      assert.match(messages[0] ?? '', /a QR code and the stores/);
      assert.match(messages[1] ?? '', /a page without links/);
    });

    it('names the rule that each kind of visitor gets, where it leads, and the rule of a finding', async () => {
      const rules = [
        ruleOf({ country: 'DE' }, { fallbackUrl: 'https://shop.example.com/de' }),
        ruleOf({ platform: 'IOS', percent: 49 }),
        { name: 'Half', ...ruleOf({ platform: 'IOS', percent: 50 }) },
        ruleOf({ platform: 'OTHER' }, { fallbackUrl: 'https://shop.example.com/computer' }),
        { name: 'Elsewhere', ...ruleOf({ country: 'AT' }, ELSEWHERE) },
      ];
      const { app, shortCode } = await newLink(world, { link: { rules } });
      const { body } = await diagnose(world, app, shortCode);
      const of = Object.fromEntries(body.visitors.map((one: { visitor: string }) => [one.visitor, one]));
      assert.deepEqual(of.iosSafari.rule, { number: 3, name: 'Half' });
      assert.equal(of.androidChrome.rule, null);
      assert.deepEqual(of.desktop.rule, { number: 4, name: null });
      assert.equal(of.desktop.location, 'https://shop.example.com/computer');
      const [finding, ...others] = body.findings;
      assert.deepEqual([finding.code, others], ['android.not_play', []]);
      assert.match(finding.message, /androidDestination of rule 5 \(Elsewhere\)/);
    });

    it('has no finding about the sandbox for a test key', async () => {
      const { app, shortCode } = await newLink(world, { link: { sandbox: true } });
      assert.deepEqual(await codesOf(world, app, shortCode, app.keys.test), []);
    });

    it('reflects a change of the link at once, and of the app within a second', async () => {
      const { app, shortCode } = await newLink(world, { app: { iosTeamId: null } });
      const body = { fallbackUrl: null };
      await world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body });
      assert.deepEqual(await codesOf(world, app, shortCode), [
        'association.ios_missing',
        'destination.others_missing',
      ]);
      const changes = { iosTeamId: HEALTHY_APP.iosTeamId, fallbackUrl: HEALTHY_LINK.fallbackUrl };
      await world.admin('PATCH', `/apps/${app.id}`, changes);
      world.clock.advance(SECOND_MS);
      assert.deepEqual(await codesOf(world, app, shortCode), []);
    });

    it('records no click', async () => {
      const { app, shortCode } = await newLink(world);
      await diagnose(world, app, shortCode);
      const { clickLog, db } = world.service;
      await clickLog.applied();
      assert.deepEqual(await db.selectFrom('clicks').select('id').where('app_id', '=', app.id).execute(), []);
    });

    it('requires a secret key of the app that can see the link', async () => {
      const { app, shortCode } = await newLink(world);
      const otherApp = await world.newApp();
      assertError(await diagnose(world, app, shortCode, otherApp.keys.live), 404, 'link.not_found');
      assertError(await diagnose(world, app, shortCode, app.keys.test), 404, 'link.not_found');
      assertError(await diagnose(world, app, shortCode, app.keys.live_publishable), 401, 'key.wrong_kind');
      for (const code of ['not-there', 'a', '%00'])
        assertError(await diagnose(world, app, code), 404, 'link.not_found');
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assertError(await diagnose(world, app, shortCode), 404, 'link.not_found');
    });

    for (const [shortLinkUrl, codes] of Object.entries(HOSTS))
      it(`finds ${codes.join(', ')} with SHORT_LINK_URL ${shortLinkUrl}`, async (t) => {
        const there = new World(engine, { SHORT_LINK_URL: shortLinkUrl });
        t.after(() => there.remove());
        await there.open();
        const { app, shortCode } = await newLink(there, { app: { shortLinkHost: null } });
        assert.deepEqual((await codesOf(there, app, shortCode)).sort(), [...codes].sort());
      });
  });

describe('the documented findings', () => {
  it('docs/reference/findings.md lists exactly the codes, with their severities', () => {
    const rows = readFileSync('docs/reference/findings.md', 'utf8').matchAll(
      /^\| `([a-z]+\.[a-z_]+)` +\| (error|warning|info) +\|/gm,
    );
    const documented = [...rows].map(([, code, severity]) => `${code} ${severity}`);
    assert.deepEqual(documented.sort(), CODES.map((code) => `${code} ${severityOf(code)}`).sort());
  });
});
