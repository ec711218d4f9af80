/** What people do in the console, each from its screen to what the service then has. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, type Device, type Page, type Setting, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole, WATCH } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  SAFARI,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();
const DAY_MS = 86_400_000;
const IN_GERMANY = '193.99.144.80';

describe('the console at work', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = async (
    path: string,
    options: { device?: Device; scripts?: string; setting?: Partial<Setting> } = {},
  ) => await visitConsole(browser, { url: `${scene.url}/console/${path}`, cookie, ...options });
  const textOf = async (page: Page) =>
    await page.evaluate<string>('document.querySelector("main").innerText');

  async function ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) {
    const answer = await fetch(scene.url + path, {
      method,
      headers: {
        cookie,
        'x-app-id': scene.appId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${path}: ${await answer.clone().text()}`);
    return (await answer.json()) as { id: string; key: string }[] & { id: string; key: string };
  }

  it('retention counts by day, week and group; a day that is not over is grey and lowers no share', async () => {
    const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
    const cohorts = [
      { day: day(2), key: 'spring', installs: 100, active: [100, 40, 3], shares: [1, 0.4, 0.03] },
      { day: day(1), key: 'spring', installs: 100, active: [100, 2], shares: [1, 0.02] },
      { day: day(1), key: null, installs: 50, active: [50, 1], shares: [1, 0.02] },
    ];
    const scripts = answering('/v1/stats/retention', { from: day(27), to: day(0), cohorts });
    const page = await visit(`${scene.appId}/retention?group=campaign`, { scripts });
    const rows = async () =>
      await page.evaluate<string[]>(
        '[...document.querySelectorAll(".cohorts tbody tr")].map((row) => row.innerText.replace(/\\s+/g, " ").trim())',
      );
    assert.deepEqual(await rows(), ['All 250 100 40 3', 'spring 200 100 40 3', 'none 50 100 2']);
    assert.equal(await page.evaluate('document.querySelectorAll(".cohorts td.text-ink-3").length'), 3);
    assert.match(await textOf(page), /40% of the installs came back the day after/);
    await page.evaluate('document.querySelector(".cohorts th a").click()');
    await until(page, 'new URLSearchParams(location.search).get("key") === "spring"');
    assert.deepEqual(await rows(), [
      'All 200 100 40 3',
      `${nameOf(day(1))} 100 100 2`,
      `${nameOf(day(2))} 100 100 40 3`,
    ]);
    assert.equal(await page.evaluate('document.querySelectorAll("th[scope=row]").length'), 3);
    await assertSound(page, DEVICES.desktop, 'retention-of-a-campaign');
    const dark = await visit(`${scene.appId}/retention`, { scripts, setting: { colorScheme: 'dark' } });
    await assertSound(dark, DEVICES.desktop, 'retention-tints-dark');
  });

  it('retention opens the installs of a row, and scrolls inside its own box at 320 px', async () => {
    const page = await visit(`${scene.appId}/retention`, { device: NARROW });
    const box = await page.evaluate<{ isWider: boolean; page: number }>(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('section[tabindex]');
      return { isWider: scrollWidth > clientWidth, page: document.documentElement.scrollWidth };
    })()`);
    assert.deepEqual(box, { isWider: true, page: NARROW.viewport.width });
    await page.evaluate('document.querySelector(".cohorts td a").click()');
    await until(page, 'location.pathname.endsWith("/installs")');
    await until(page, 'document.querySelectorAll("table.table tbody tr").length === 2');
    const empty = await visit(`${scene.appId}/retention?sandbox=true`);
    await empty.evaluate('document.querySelector("main a.btn").click()');
    await until(empty, 'document.querySelector(".cohorts")');
  });

  it('each number of the overview opens its records', async () => {
    const open = async (row: string, part: number) => {
      const page = await visit(scene.appId);
      await until(page, 'document.querySelectorAll(".rank").length > 3');
      await page.evaluate(
        `[...document.querySelectorAll('.rank')].find((each) => each.innerText.includes('${row}')).querySelectorAll('a')[${part}].click()`,
      );
      await until(page, 'document.querySelector("main table tbody")');
      await until(page, '!document.querySelector("[aria-busy=true]")');
      return {
        path: await page.evaluate<string>('location.pathname.split("/").at(-1)'),
        rows: await page.evaluate<number>('document.querySelectorAll("tbody tr").length'),
      };
    };
    assert.deepEqual(await open('/autumn', 1), { path: 'clicks', rows: 2 });
    assert.deepEqual(await open('/autumn', 2), { path: 'installs', rows: 1 });
    assert.deepEqual(await open('Fingerprint', 1), { path: 'installs', rows: 1 });
    assert.deepEqual(await open('Organic', 1), { path: 'installs', rows: 1 });
    const headers = { 'x-forwarded-for': IN_GERMANY, 'user-agent': SAFARI, accept: 'text/html' };
    await fetch(`${scene.url}/l/autumn`, { headers });
    assert.deepEqual(await open('Germany', 1), { path: 'clicks', rows: 1 });
  });

  it('the set-up has the code of the SDK, and fills in a key that an owner makes there', async () => {
    const page = await visit(`${scene.appId}/set-up`);
    await press(page, 'Show the code');
    await until(page, 'document.body.innerText.includes("ThroughlineProvider")');
    assert.ok((await textOf(page)).includes(`baseUrl: '${scene.url}'`));
    await press(page, 'Expo');
    await until(page, `document.body.innerText.includes('"hosts": ["${new URL(scene.url).host}"]')`);
    await press(page, 'Make a key for debug builds');
    await until(page, `/key: 'svc_test_pub_[^']+'/.test(document.querySelector("main").innerText)`);
    const keys = await ask('GET', '/v1/keys');
    assert.ok(keys.some((key) => Object(key).kind === 'test_publishable'));
    await assertSound(page, DEVICES.desktop, 'set-up-code');
  });

  it('a link has the history of its changes: who, when, from what to what', async () => {
    await ask('PATCH', '/v1/links/autumn', { ogTitle: 'Autumn sale', sandbox: false });
    await ask('PATCH', '/v1/links/autumn', { ogTitle: 'Winter sale', deepLinkParams: { a: 1 } });
    const page = await visit(`${scene.appId}/links/autumn`);
    await until(page, 'document.body.innerText.includes("Parameters for the app")');
    const text = await textOf(page);
    const history = text.slice(text.indexOf('History'));
    assert.match(history, /Title of the card\s+Autumn sale\s+to\s+Winter sale/);
    assert.ok(history.includes(USER.name), history);
    assert.match(history, /Made\s+The key/);
    const log = await visit(`${scene.appId}/audit-log?action=link.updated`);
    assert.match(
      await textOf(log),
      /\/autumn\s+Parameters for the app changed\s+Title of the card\s+Autumn sale/,
    );
  });

  it('an operator makes an app, which its set-up follows', async () => {
    const page = await visit(`${scene.appId}/operator?tab=apps`);
    await write(page, 'name', 'Outlet');
    await write(page, 'androidPackage', 'com.example.outlet');
    await press(page, 'Make app');
    await until(page, 'document.querySelector("h1")?.innerText === "Set-up"');
    const apps = await ask('GET', '/v1/admin/apps');
    const { id } = Object(apps.find((app) => Object(app).androidPackage === 'com.example.outlet'));
    assert.equal(await page.evaluate('location.pathname.split("/").at(-2)'), id);
    assert.ok((await page.evaluate<string>('document.body.innerText')).includes('Outlet'));
  });

  it('the last operator stays one, and nobody becomes one whose email is not proven', async () => {
    const page = await visit(`${scene.appId}/operator?tab=users`);
    await pressNamed(page, `Remove as operator: ${USER.name}`);
    await until(page, 'document.querySelector("[role=dialog]")');
    assert.deepEqual(await findViolations(page), []);
    await press(page, 'Remove as operator');
    await until(page, 'document.querySelector("[role=dialog] [role=alert]")');
    assert.match(
      await page.evaluate<string>('document.querySelector("[role=dialog] [role=alert]").innerText'),
      /user\.last_operator/,
    );
    await press(page, 'Leave it');
    const viewer = await invite('second@shop.example');
    await page.goto(`${scene.url}/console/${scene.appId}/operator?tab=users`);
    await until(page, 'document.body.innerText.includes("second@shop.example")');
    const seen = await visitConsole(browser, {
      url: `${scene.url}/console/${scene.appId}/operator`,
      cookie: viewer,
    });
    assert.match(await textOf(seen), /Operators alone see this/);
    assert.equal(await seen.evaluate('document.querySelector("nav a[href$=operator]")'), null);
    await pressNamed(page, 'Make operator: Second');
    await until(page, 'document.querySelector("[role=dialog]")');
    await press(page, 'Make operator');
    await until(page, 'document.querySelector("[role=dialog] [role=alert]")');
    assert.match(
      await page.evaluate<string>('document.querySelector("[role=dialog] [role=alert]").innerText'),
      /user\.unproven_email/,
    );
  });

  it('the address of the service leads to the console and the documents', async () => {
    for (const [name, device, colorScheme] of [
      ['narrow', NARROW, 'light'],
      ['dark', DEVICES.desktop, 'dark'],
    ] as const) {
      const page = await browser.open(device, { colorScheme });
      await page.beforeScripts(WATCH);
      await page.goto(`${scene.url}/`);
      assert.equal(await page.evaluate('document.querySelector("h1").innerText'), 'Throughline');
      await assertSound(page, device, `front-page-${name}`);
    }
  });

  it('a new app begins at its set-up, and its overview leads there and to the demo', async () => {
    const isAt = (path: string) => `location.pathname.endsWith('${path}')`;
    const page = await visit(scene.appId);
    assert.doesNotMatch(await textOf(page), /Go to Set-up/);
    await page.goto(`${scene.url}/console/`);
    await until(page, `${isAt(scene.appId)} && document.querySelector('h1')?.innerText === 'Overview'`);
    const appId = await scene.makeApp('New shop');
    const empty = await visit(appId, { device: NARROW });
    await until(empty, 'document.querySelector("main").innerText.includes("Go to Set-up")');
    assert.match(await textOf(empty), /npx throughline demo/);
    await assertSound(empty, NARROW, 'overview-of-a-new-app');
    await empty.goto(`${scene.url}/console/`);
    await until(empty, `${isAt(`${appId}/set-up`)} && document.querySelector('h1')?.innerText === 'Set-up'`);
  });

  it('health never says that nothing is wrong while every link of an app fails, and leads to its set-up', async () => {
    for (const [name, device, colorScheme] of [
      ['desktop', DEVICES.desktop, 'light'],
      ['narrow-dark', NARROW, 'dark'],
    ] as const) {
      const page = await visit(`${scene.appId}/operator`, { device, setting: { colorScheme } });
      const text = await textOf(page);
      assert.match(text, /Wrong\s+Every link of Shoe shop .* fails\. Phones cannot reach 127\.0\.0\.1/);
      assert.doesNotMatch(text, /Nothing is wrong/);
      await until(page, 'document.querySelectorAll("main figure").length === 8');
      await assertSound(page, device, `operator-${name}`);
      await page.evaluate('document.querySelector("main figure").scrollIntoView()');
      await page.screenshot(`console-operator-charts-${name}`);
    }
    const page = await visit(`${scene.appId}/operator`);
    await until(page, 'document.querySelectorAll("main figure").length === 8');
    const now = await page.evaluate<string>(
      '[...document.querySelectorAll("figure")].find((each) => each.innerText.startsWith("Redirects")).innerText',
    );
    assert.match(now, /^Redirects\s+[1-9]/);
    await press(page, 'Show as table');
    await until(page, 'document.querySelectorAll("main tbody tr").length === 97');
    await assertSound(page, DEVICES.desktop, 'operator-table');
    await page.evaluate(
      '[...document.querySelectorAll("main li a")].find((each) => each.innerText.startsWith("Set-up of")).click()',
    );
    await until(page, 'document.querySelector("h1")?.innerText === "Set-up"');
  });

  it('health names webhooks that fail, and says that nothing is wrong only then', async () => {
    const health = await ask('GET', '/v1/admin/health');
    const webhook = {
      ...{ appId: scene.appId, appName: 'Shop', webhookId: scene.appId, url: 'https://hooks.example/…' },
      name: null,
      ...{ failed24h: 1_204, failingSince: '2026-11-20T12:00:00.000Z' },
    };
    const failing = await visit(`${scene.appId}/operator`, {
      device: NARROW,
      scripts: answering('/v1/admin/health', { ...health, webhooks: [webhook] }),
    });
    assert.match(await textOf(failing), /Webhooks and destinations that fail.*hooks\.example.*1,204/s);
    await assertSound(failing, NARROW, 'operator-webhooks');
    const well = await visit(`${scene.appId}/operator`, {
      scripts: answering('/v1/admin/health', { ...health, problems: [] }),
    });
    assert.match(await textOf(well), /Nothing is wrong\./);
  });

  it('the trace goes to the newer and the older install of its list, by key and by button', async () => {
    const phone = await phoneOf('198.51.100.66');
    await phone.tap();
    const newest = await phone.install();
    const { matched, organic } = scene.installs;
    const page = await visit(`${scene.appId}/installs/${organic}`);
    const isAt = (id: string) => `location.pathname.endsWith('${id}')`;
    const may = (name: string) =>
      `[...document.querySelectorAll('button')].some((each) => each.innerText.startsWith('${name}') && !each.disabled)`;
    await until(page, may('Older'));
    await key(page, 'j');
    await until(page, isAt(matched));
    await until(page, may('Newer'));
    await key(page, 'k');
    await until(page, isAt(organic));
    await page.goto(`${scene.url}/console/${scene.appId}/installs/${newest}?method=FINGERPRINT`);
    await until(page, may('Older'));
    await pressNamed(page, 'Older J');
    await until(page, `${isAt(matched)} && location.search === '?method=FINGERPRINT'`);
  });

  it('live joins what a test phone does with a chosen link: click, install, open and event', async () => {
    const page = await visit(`${scene.appId}/live`);
    await until(page, 'document.body.innerText.includes("/autumn")');
    await page.evaluate(
      '[...document.querySelectorAll("button")].find((each) => each.innerText.startsWith("/autumn")).click()',
    );
    await until(page, 'document.querySelector("img[alt=\'QR code of /autumn\']")');
    await until(page, 'document.body.innerText.includes("Listening")');
    const phone = await phoneOf('198.51.100.77');
    const query = /\/l\/autumn(\?phone=\w+)/.exec(await textOf(page))?.[1];
    await phone.tap(query);
    await until(page, 'document.querySelector("main ol")?.innerText.includes("Click")');
    const installId = await phone.install();
    const other = await phoneOf('198.51.100.78');
    await other.tap();
    await other.event(await other.install(), 'of_another_phone');
    await until(page, 'document.body.innerText.includes("of_another_phone")');
    await until(page, 'document.body.innerText.includes("Fingerprint, ")');
    assert.equal(await page.evaluate('document.body.innerText.includes("It works on this phone.")'), false);
    await phone.event(installId, 'add_to_cart');
    await until(page, 'document.body.innerText.includes("It works on this phone.")');
    const text = await textOf(page);
    assert.match(text, /Click [\d:]+/);
    assert.match(text, /Install [\d:]+[^\n]* later/);
    assert.match(text, /add_to_cart/);
    assert.equal(await page.evaluate('document.querySelectorAll("main ol li.bg-accent-soft").length'), 3);
    await assertSound(page, DEVICES.desktop, 'live-joined');
    await press(page, 'Start over');
    await until(page, 'document.body.innerText.includes("Waiting. Scan the code.")');
  });

  it('an invitation says whether it was mailed, and the team how its members sign in', async () => {
    const page = await visit(`${scene.appId}/team`);
    assert.match(await textOf(page), /Sign-in\s+With a password\./);
    await write(page, 'email', 'third@shop.example');
    await press(page, 'Make invitation');
    await until(page, 'document.body.innerText.includes("The service mailed nothing.")');
    const made = {
      ...(await ask('POST', '/v1/invitations', { email: 'third@shop.example', role: 'viewer' })),
      mailed: true,
    };
    const mailing = await visit(`${scene.appId}/team`, {
      scripts: answering('/v1/invitations', made, 'POST'),
    });
    await write(mailing, 'email', 'third@shop.example');
    await press(mailing, 'Make invitation');
    await until(mailing, 'document.body.innerText.includes(" is on its way to third@shop.example.")');
  });

  /** @returns the cookie of a new viewer. */
  async function invite(email: string): Promise<string> {
    const { url } = Object(await ask('POST', '/v1/invitations', { email, role: 'viewer' }));
    const answer = await fetch(`${scene.url}/v1/invitations/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: new URL(url).hash.slice(1), name: 'Second', password: USER.password }),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  }

  /** A phone with an address of its own, whose app has a publishable key. */
  async function phoneOf(address: string) {
    const { key: secret } = await ask('POST', '/v1/keys', { kind: 'live_publishable' });
    const from = { 'x-forwarded-for': address };
    const call = async (path: string, body: object) => {
      const answer = await fetch(scene.url + path, {
        method: 'POST',
        headers: { ...from, 'content-type': 'application/json', 'x-api-key': secret },
        body: JSON.stringify(body),
      });
      assert.ok(answer.ok, await answer.clone().text());
      return (await answer.json()) as { installId: string };
    };
    return {
      async tap(query = '') {
        await fetch(`${scene.url}/l/autumn${query}`, {
          headers: { ...from, 'user-agent': SAFARI, accept: 'text/html', 'accept-language': 'de' },
        });
      },
      async install() {
        const fingerprint = {
          platform: 'ios',
          osVersion: '18.5',
          deviceModel: 'iPhone16,1',
          locale: 'de_DE',
        };
        return (await call('/v1/sdk/install', { fingerprint })).installId;
      },
      async event(installId: string, eventName: string) {
        await call('/v1/sdk/event', { installId, eventName });
      },
    };
  }
});

function nameOf(day: string): string {
  return new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(day),
  );
}

/** Presses a button by its name for screen readers. */
async function pressNamed(page: Page, name: string): Promise<void> {
  await page.evaluate(
    `[...document.querySelectorAll('button')].find((each) => each.textContent === '${name}').click()`,
  );
}

async function key(page: Page, name: string): Promise<void> {
  await page.evaluate(`document.dispatchEvent(new KeyboardEvent('keydown', { key: '${name}' }))`);
}

/** A script that answers calls of a path itself. */
function answering(path: string, body: object, method = 'GET'): string {
  return `
  const ask = fetch;
  window.fetch = async (request) =>
    request.method === '${method}' && new URL(request.url).pathname === '${path}'
      ? new Response(${JSON.stringify(JSON.stringify(body))}, { headers: { 'content-type': 'application/json' } })
      : await ask(request);`;
}
