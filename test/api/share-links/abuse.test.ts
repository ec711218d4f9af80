/** What a publishable key that was taken out of an app cannot do with `POST /v1/sdk/links`. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { assertError } from '../../helpers/shapes.ts';
import { newInstall, newSharingApp, share } from '../../helpers/share-links.ts';
import { freshAddress, type TestApp, useWorld } from '../../helpers/world.ts';

/** None of them is the phone's to choose. */
const CHOSEN_BY_THE_APP: Readonly<Record<string, unknown>> = {
  ...{ iosDestination: 'https://evil.example/', androidDestination: 'https://evil.example/' },
  ...{ fallbackUrl: 'https://evil.example/', expiredUrl: 'https://evil.example/', landingPage: 'never' },
  ...{ rules: [{ when: {}, then: { fallbackUrl: 'https://evil.example/' } }], passQuery: ['*'] },
  ...{ metadata: { invitedBy: randomUUID() }, shortCode: 'login', path: 'login', passPath: true },
  ...{ expiresAt: '2099-01-01T00:00:00Z', expiresInDays: 1, goneWhenExpired: true, sandbox: false },
  ...{ title: 'a', tags: ['a'], minAppVersion: { ios: '9' }, invitedBy: randomUUID(), id: randomUUID() },
  ...{ campaign: 'a', DeepLinkPath: '/a', constructor: 1 },
};

const PATHS = {
  refused: [
    ...['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\nscript:alert(1)'],
    ...['data:text/html,<script>', 'https://evil.example/', 'otherbank://pay?to=1', 'mailto:a@example.com'],
    ...[
      '//evil.example/',
      '\\\\evil.example',
      '/\\evil.example',
      '\\evil.example',
      '\u0000/a',
      '/a\u0007',
      '',
      'a'.repeat(2_049),
    ],
  ],
  accepted: [
    '/',
    '/shoes/42?colour=red#top',
    'shoes/42',
    '/time/12:30',
    'a?b=c:d',
    '/日本/靴',
    '/a//b',
    'x'.repeat(2_048),
  ],
};

function deepObject(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
}

/** Field, refused values and what the error names. */
const BOUNDS: readonly (readonly [
  field: string,
  refused: readonly unknown[],
  accepted: readonly unknown[],
])[] = [
  ['ogTitle', ['', 'a'.repeat(256), 7, { a: 1 }], ['a'.repeat(255)]],
  ['ogDescription', ['', 'a'.repeat(1_001), 7], ['a'.repeat(1_000)]],
  [
    'ogImage',
    [
      ...[
        '',
        'javascript:alert(1)',
        'data:image/png;base64,AA',
        'file:///etc/passwd',
        'ftp://example.com/a.png',
      ],
      ...['/a.png', 'https://', 'https://exa mple.com/', `https://example.com/${'a'.repeat(2_048)}`],
    ],
    // Nobody but the reader's phone fetches it, so that an address inside the network tells a stranger nothing.
    ['https://example.com/a.png', 'http://169.254.169.254/latest/meta-data/'],
  ],
  ['deepLinkParams', [[], 'a', { a: 'x'.repeat(16 * 1_024) }], [{}, deepObject(50)]],
  ['campaignId', ['', 'a'.repeat(256), 7], ['spring']],
  ['installId', [undefined, null, '', 'me', 7, [randomUUID()]], []],
  ['debugBuild', ['true', 1], [null, true]],
];

for (const engine of neutralEngines)
  describe(`share links, forged calls, on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();
    let app: TestApp;
    let installId: string;
    before(async () => {
      app = await newSharingApp(world, { allowCampaignId: true, perInstallPerDay: 1_000 });
      installId = await newInstall(world, app);
    });

    it('a field that the app chooses is refused by name', async () => {
      for (const [name, value] of Object.entries(CHOSEN_BY_THE_APP)) {
        const answer = await share(world, app, { installId, [name]: value });
        assertError(answer, 400, 'request.invalid', `${name} cannot be chosen by the app`);
        assert.match(answer.body.error, /setting appLinks/);
      }
      const rawBody = `{"installId":"${installId}","deepLinkPath":"/a","__proto__":{"fallbackUrl":"https://evil.example/"}}`;
      const polluted = await world.call('POST', '/v1/sdk/links', { key: app.keys.live_publishable, rawBody });
      assert.equal(polluted.status, 400);
    });

    it('deepLinkPath is a path: no scheme, other host or control character', async () => {
      for (const deepLinkPath of PATHS.refused)
        assertError(await share(world, app, { installId, deepLinkPath }), 400, /^request\./);
      for (const deepLinkPath of PATHS.accepted)
        assert.equal((await share(world, app, { installId, deepLinkPath })).status, 201, deepLinkPath);
    });

    for (const [field, refused, accepted] of BOUNDS)
      it(`${field} is bounded`, async () => {
        for (const value of refused)
          assertError(await share(world, app, { installId, [field]: value }), 400, 'request.invalid', field);
        for (const value of accepted)
          assert.equal(
            (await share(world, app, { installId, deepLinkPath: `/${field}`, [field]: value })).status,
            201,
          );
      });

    it('JSON that is nested too deeply and a body that is too large are refused', async () => {
      const deep = await share(world, app, { installId, deepLinkParams: deepObject(70) });
      assertError(deep, 400, 'request.too_deep');
      const large = await share(world, app, { installId, ogTitle: 'a'.repeat(300_000) });
      assertError(large, 413);
    });

    it('campaignId is refused where the app does not allow it', async () => {
      const strict = await newSharingApp(world);
      const own = await newInstall(world, strict);
      const answer = await share(world, strict, { installId: own, campaignId: 'spring' });
      assertError(answer, 400, 'request.invalid', 'campaignId');
      assert.match(answer.body.error, /allowCampaignId/);
    });

    it('an install of another app, an unknown one, and with a test key a live one are 404', async () => {
      const theirs = await newInstall(world, await newSharingApp(world));
      for (const id of [theirs, randomUUID()])
        assertError(await share(world, app, { installId: id }), 404, 'install.not_found');
      const key = app.keys.test_publishable;
      assertError(await share(world, app, { installId }, { key }), 404, 'install.not_found');
      assertError(await share(world, app, { installId }, { key: 'svc_live_pub_us_unknown' }), 401);
    });

    it('links of a debug build, and of an install of the sandbox with a live key, are of the sandbox', async () => {
      const tester = await newInstall(world, app, { key: app.keys.test_publishable });
      for (const [body, key] of [
        [{ installId: tester }, app.keys.test_publishable],
        [{ installId: tester, deepLinkPath: '/live-key' }, app.keys.live_publishable],
        [{ installId, deepLinkPath: '/debug', debugBuild: true }, app.keys.live_publishable],
      ] as const) {
        const { shortCode } = (await share(world, app, body, { key })).body;
        const link = await world.call('GET', `/v1/links/${shortCode}`, { key: app.keys.live });
        assert.equal(link.body.sandbox, true);
      }
    });

    it('markup in the texts of a card is text, on the card and on the landing page', async () => {
      const markup = `"><script>alert(1)</script><img src=x onerror='alert(2)'>\u2028</title>`;
      const texts = {
        ogTitle: markup,
        ogDescription: markup,
        ogImage: `https://example.com/a.png?"><script>`,
      };
      const defaults = { iosDestination: 'https://apps.apple.com/app/id1', landingPage: 'always' };
      const own = await newSharingApp(world, { defaults });
      const sharer = await newInstall(world, own);
      const made = await share(world, own, { installId: sharer, deepLinkPath: `/"><script>`, ...texts });
      assert.equal(made.status, 201, made.text);
      for (const userAgent of ['WhatsApp/2.23.20.0 A', undefined]) {
        const headers = { accept: 'text/html' };
        const page = await world.tap(made.body.shortCode, { ...(userAgent && { userAgent }), headers });
        assert.equal(page.status, 200);
        assert.ok(!/<script>alert|<img src=x|"><script>/.test(page.text), page.text);
      }
      const card = await world.tap(made.body.shortCode, { userAgent: 'WhatsApp/2.23.20.0 A' });
      assert.ok(card.text.includes('&#60;script&#62;alert(1)'), card.text);
    });
  });

for (const engine of neutralEngines)
  describe(`share links, a flood, on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();

    it('a taken key makes no more links than the budgets of address and app allow, and other apps none fewer', async () => {
      const app = await newSharingApp(world, { perInstallPerDay: 3, perDay: 80 });
      const other = await newSharingApp(world);
      const made = { byAddress: 0, byAll: 0 };
      const flood = async (from: string) => {
        const installs = await Promise.all([1, 2].map(() => newInstall(world, app)));
        const answers = [];
        for (const installId of installs)
          for (let index = 0; index < 4; index++)
            answers.push(await share(world, app, { installId, deepLinkPath: `/${index}` }, { from }));
        for (const { status } of answers) assert.ok(status === 201 || status === 429, String(status));
        return answers.filter(({ status }) => status === 201).length;
      };
      made.byAddress = await flood('198.51.100.9');
      assert.equal(made.byAddress, 4, 'a twentieth of the app’s');
      made.byAll = made.byAddress;
      for (let address = 0; address < 18; address++) made.byAll += await flood(freshAddress());
      assert.equal(made.byAll, 72, 'nine tenths of the app’s');
      const stored = await world.service.db
        .selectFrom('links')
        .select(({ fn }) => fn.countAll<number>().as('links'))
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      assert.equal(Number(stored.links), 72);
      const installId = await newInstall(world, app);
      assert.equal((await share(world, app, { installId }, { key: app.keys.live })).status, 201);
      const theirs = await newInstall(world, other);
      assert.equal((await share(world, other, { installId: theirs }, { from: '198.51.100.9' })).status, 201);
    });
  });
