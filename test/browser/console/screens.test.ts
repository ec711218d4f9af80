/** The web console in a browser, against the real program. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, type Device, type Setting, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole, WATCH } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  MARKUP,
  openConsoleScene,
  press,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();

describe('the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = async (path: string, device: Device = DEVICES.desktop, setting: Partial<Setting> = {}) =>
    await visitConsole(browser, { url: `${scene.url}/console/${path}`, cookie, device, setting });

  const screens: readonly (readonly [
    name: string,
    path: (scene: ConsoleScene) => string,
    heading: string,
  ])[] = [
    ['overview', ({ appId }) => appId, 'Overview'],
    ['overview of today', ({ appId }) => `${appId}?days=1&columns=installs,revenue`, 'Overview'],
    ['links', ({ appId }) => `${appId}/links`, 'Links'],
    ['link', ({ appId }) => `${appId}/links/autumn`, '/l/autumn'],
    ['edit', ({ appId }) => `${appId}/links/autumn/edit`, 'Edit /autumn'],
    ['clicks', ({ appId }) => `${appId}/clicks`, 'Clicks'],
    ['installs', ({ appId }) => `${appId}/installs`, 'Installs and opens'],
    ['trace', ({ appId, installs }) => `${appId}/installs/${installs.matched}`, 'Install,'],
    ['organic', ({ appId, installs }) => `${appId}/installs/${installs.organic}`, 'Install,'],
    ['events', ({ appId }) => `${appId}/events`, 'Events'],
    ['retention', ({ appId }) => `${appId}/retention`, 'Retention'],
    ['retention by method', ({ appId }) => `${appId}/retention?group=method`, 'Retention'],
    ['costs', ({ appId }) => `${appId}/costs`, 'Costs'],
    ['upload of costs', ({ appId }) => `${appId}/costs/upload`, 'Upload costs'],
    ['live', ({ appId }) => `${appId}/live`, 'Live'],
    ['live of a link', ({ appId }) => `${appId}/live?shortCode=autumn`, 'Live'],
    ['webhooks', ({ appId }) => `${appId}/webhooks`, 'Webhooks'],
    ['deliveries', ({ appId }) => `${appId}/webhooks?tab=deliveries`, 'Webhooks'],
    ['postbacks', ({ appId }) => `${appId}/postbacks`, 'Postbacks'],
    ['set-up', ({ appId }) => `${appId}/set-up`, 'Set-up'],
    ['accuracy', ({ appId }) => `${appId}/accuracy`, 'Accuracy'],
    ['privacy', ({ appId }) => `${appId}/privacy`, 'Privacy'],
    ['team', ({ appId }) => `${appId}/team`, 'Team'],
    ['keys', ({ appId }) => `${appId}/keys`, 'Keys'],
    ['audit log', ({ appId }) => `${appId}/audit-log`, 'Audit log'],
    ['settings', ({ appId }) => `${appId}/settings`, 'Settings'],
    ['operator', ({ appId }) => `${appId}/operator`, 'Operator'],
    ['operator, apps', ({ appId }) => `${appId}/operator?tab=apps`, 'Operator'],
    ['operator, users', ({ appId }) => `${appId}/operator?tab=users`, 'Operator'],
    ['operator, log', ({ appId }) => `${appId}/operator?tab=log`, 'Operator'],
  ];

  it('every screen fits wide and 320 px screens, light and dark, breaks no rule of access or CSP, and asks no other host', async () => {
    for (const [device, colorScheme] of [
      [DEVICES.desktop, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      const page = await visit(scene.appId, device, { colorScheme });
      for (const [name, path, heading] of screens) {
        await goOn(page, `${scene.url}/console/${path(scene)}`);
        const shown = await page.evaluate<string>('document.querySelector("h1").innerText');
        assert.ok(shown.includes(heading), `${name}: ${shown}`);
        await assertSound(page, device, `${name}-${colorScheme}`);
      }
    }
  });

  it('sign-in: refuses a wrong password beside the field, then leads to the page that was asked for', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.open(NARROW, { colorScheme });
      await page.beforeScripts(WATCH);
      await page.goto(`${scene.url}/console/${scene.appId}/links`);
      await until(page, 'document.querySelector("[name=password]")');
      await assertSound(page, NARROW, `sign-in-${colorScheme}`);
      await write(page, 'email', USER.email);
      await write(page, 'password', 'wrong horse battery');
      await page.press('Enter');
      await until(page, 'document.querySelector("[name=password]").getAttribute("aria-invalid") === "true"');
      await write(page, 'password', USER.password);
      await page.press('Enter');
      await until(page, 'document.querySelector("h1")?.innerText === "Links"');
      await until(page, 'document.body.innerText.includes("/autumn")');
    }
  });

  it('a session that ends in a form asks for the password above it, and saves what was typed', async () => {
    const page = await visit(`${scene.appId}/links/autumn/edit`);
    await write(page, 'campaignId', 'typed before the end');
    await page.evaluate('document.cookie = "throughline_session=ended; path=/"');
    await page.evaluate('document.querySelector("form button[type=submit]").click()');
    await until(page, 'document.querySelector("[role=dialog]")?.innerText.includes("You were signed out")');
    assert.deepEqual(await findViolations(page), []);
    assert.equal(
      await page.evaluate('document.querySelector("[name=campaignId]").value'),
      'typed before the end',
    );
    await write(page, 'password', USER.password);
    await page.press('Enter');
    await until(page, 'document.body.innerText.includes("Campaign typed before the end")');
    await restore('autumn', { campaignId: MARKUP });
  });

  it('two people who edit a link: the second is warned, and loses nothing', async () => {
    const page = await visit(`${scene.appId}/links/autumn/edit`);
    await write(page, 'campaignId', 'mine');
    await restore('autumn', { campaignId: 'theirs' });
    const save = 'document.querySelector("form button[type=submit]").click()';
    await page.evaluate(save);
    await until(page, 'document.body.innerText.includes("Changed meanwhile")');
    assert.equal((await readLink('autumn')).campaignId, 'theirs');
    assert.equal(await page.evaluate('document.querySelector("[name=campaignId]").value'), 'mine');
    await page.evaluate(save);
    await until(
      page,
      'document.querySelector("h1").innerText.endsWith("autumn") && !document.querySelector("form")',
    );
    assert.equal((await readLink('autumn')).campaignId, 'mine');
    await restore('autumn', { campaignId: MARKUP });
  });

  it('a link is made in one field, and a deletion names it', async () => {
    const page = await visit(`${scene.appId}/links`);
    await page.evaluate('document.querySelector("[name=path]").focus()');
    await page.type('/made/here');
    await page.press('Enter');
    await until(page, 'document.body.innerText.includes("Leads to /made/here in the app.")');
    const code = await page.evaluate<string>('location.pathname.split("/").at(-1)');
    await press(page, 'Delete');
    await until(page, `document.querySelector("[role=dialog]")?.innerText.includes("Delete /${code}?")`);
    await press(page, `Delete /${code}`);
    await until(page, 'document.querySelector("h1").innerText === "Links"');
    assert.equal((await ask(`/v1/links/${code}`)).status, 404);
  });

  it('the overview counts, and its rows narrow it down in the address', async () => {
    const page = await visit(scene.appId);
    await until(page, 'document.querySelectorAll(".rank").length > 0');
    const text = await page.evaluate<string>('document.querySelector("main").innerText');
    assert.match(text, /Clicks\s+2\s/);
    assert.match(text, /Installs\s+2\s/);
    assert.match(text, /€25/);
    assert.ok(text.includes(MARKUP), 'the campaign is shown as text');
    await page.evaluate(
      `[...document.querySelectorAll('a.rank-label')].find((row) => row.innerText.includes('/autumn')).click()`,
    );
    await until(page, 'new URLSearchParams(location.search).get("shortCode") === "autumn"');
    await until(page, 'document.body.innerText.includes("Link: /autumn")');
  });

  it('the overview asks for statistics once, and for another tab of a list its groups alone, now and before', async () => {
    const page = await visit(scene.appId);
    await until(page, 'document.querySelectorAll(".rank").length > 0');
    const asked = `performance.getEntriesByType('resource').map(({ name }) => name)
      .filter((name) => new URL(name).pathname === '/v1/stats').map((name) => new URL(name).searchParams.get('include'))`;
    assert.deepEqual(await page.evaluate(asked), ['totals,series,previous,previousSeries,groups']);
    await press(page, 'Platforms');
    await until(page, 'document.querySelector("main").innerText.includes("iOS")');
    assert.deepEqual((await page.evaluate<string[]>(asked)).slice(1), ['groups,previous']);
  });

  it('the code of the first menu comes before it is pressed, and the menu within ten frames after', async () => {
    const page = await visit(scene.appId);
    await until(
      page,
      `performance.getEntriesByType('resource').some(({ name }) => name.includes('menu-popup'))`,
    );
    const frames = await page.evaluate<number>(`new Promise((resolve) => {
      document.querySelector('[aria-label^=Period]').click();
      let frames = 0;
      const look = () => document.querySelector('[role=menuitemradio]') ? resolve(frames) : requestAnimationFrame(() => { frames++; look(); });
      look();
    })`);
    assert.ok(frames <= 10, `${frames} frames`);
  });

  it('a menu whose code comes with its first opening takes the focus, and gives it back', async () => {
    const page = await visit(scene.appId);
    for (let opening = 1; opening <= 2; opening++) {
      await page.evaluate('document.querySelector("[aria-label^=Period]").focus()');
      await page.press('Enter');
      await until(page, 'document.activeElement?.closest("[role=menu]")');
      await page.evaluate(
        'document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }))',
      );
      await until(page, 'document.activeElement?.matches("[aria-label^=Period]")');
    }
    await page.evaluate('document.dispatchEvent(new KeyboardEvent("keydown", { key: "f" }))');
    await until(page, 'document.activeElement?.matches("[aria-label=\'Filter by\']")');
    await page.type('sandbox');
    await page.press('Enter');
    await until(page, 'new URLSearchParams(location.search).get("sandbox") === "true"');
  });

  it('Set-up shows the banner for web pages as they get it, with its code', async () => {
    const page = await visit(`${scene.appId}/set-up`);
    await until(page, 'document.querySelector("[inert] [role=region]")');
    await press(page, 'npm');
    await write(page, 'title', 'Shoes');
    await until(page, 'document.querySelector("[inert] [role=region]").ariaLabel === "Shoes"');
    const snippet = '[...document.querySelectorAll("pre")].at(-1).innerText';
    await until(page, `${snippet}.includes("code: 'autumn'")`);
    const code = await page.evaluate<string>(snippet);
    assert.match(code, /createWeb[\s\S]*code: 'autumn',\n {2}title: 'Shoes',/);
    assert.deepEqual(await page.evaluate('[window.broken, ...refused, ...Object.keys(sessionStorage)]'), [
      null,
    ]);
  });

  it('the first screen needs at most 150 KB of compressed JavaScript', async () => {
    const page = await visit(scene.appId);
    const bytes = await page.evaluate<number>(`performance.getEntriesByType('resource')
      .filter(({ name, startTime }, _, all) => name.endsWith('.js')
        && startTime < all.find((each) => new URL(each.name).pathname === '/v1/stats').responseEnd)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    assert.ok(bytes > 50_000 && bytes <= 150_000, `${bytes} bytes`);
  });

  it('an address without a page says so, within an app, outside of any, and of an app of others', async () => {
    const page = await visit(scene.appId);
    for (const [path, text] of [
      [`${scene.appId}/nowhere`, 'is in the menu'],
      ['sign-in/nowhere', 'No page has this address'],
      ['01900000-0000-7000-8000-000000000000', 'You are not a member of this app'],
    ] as const) {
      await goOn(page, `${scene.url}/console/${path}`);
      await until(page, `document.body.innerText.includes(${JSON.stringify(text)})`);
    }
  });

  it('the text on bars and charts has a contrast of 4.5 or more, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visit(scene.appId, DEVICES.desktop, { colorScheme });
      const colors = await page.evaluate<Record<string, string>>(`Object.fromEntries(
        ['surface', 'bar', 'line', 'ink', 'ink-2', 'ink-3'].map((name) => [
          name, getComputedStyle(document.documentElement).getPropertyValue('--color-' + name).trim(),
        ]))`);
      for (const [text, ground] of [
        ...[
          ['ink', 'bar'],
          ['ink-2', 'bar'],
          ['ink', 'line'],
          ['ink-2', 'line'],
          ['ink-3', 'surface'],
        ],
      ] as const)
        assert.ok(
          contrast(colors[text ?? ''] ?? '', colors[ground ?? ''] ?? '') >= 4.5,
          `${text} on ${ground}, ${colorScheme}`,
        );
    }
  });

  it('the trace walks from the odds before comparing to the probability in the end', async () => {
    const page = await visit(`${scene.appId}/installs/${scene.installs.matched}`);
    // The link of a click is read after the trace.
    await until(
      page,
      '["A click on /autumn brought it", "What came after"].every((each) => document.body.innerText.includes(each))',
    );
    const text = await page.evaluate<string>('document.querySelector("main").innerText');
    for (const part of ['Click A', 'Matched', 'likelier', 'What came after'])
      assert.ok(text.includes(part), `${part}: ${text}`);
    const { body } = await ask(`/v1/installs/${scene.installs.matched}`);
    const { confidence } = body as { confidence: string };
    assert.ok(text.includes(`${Math.min(99, Math.floor(Number(confidence) * 100))}%`), text);
    assert.doesNotMatch(text, /100%/, 'no comparison is certain');
    const organic = await visit(`${scene.appId}/installs/${scene.installs.organic}`);
    assert.match(
      await organic.evaluate('document.querySelector("main").innerText'),
      /No link gets this install/,
    );
  });

  it('set-up fits a 320 px screen while its code is open', async () => {
    const page = await visit(`${await scene.makeApp('Empty')}/set-up`, NARROW);
    await until(page, 'document.querySelector("main pre")');
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), NARROW.viewport.width);
  });

  it('live shows a click within seconds', async () => {
    const page = await visit(`${scene.appId}/live`);
    await until(page, 'document.body.innerText.includes("Listening")');
    await fetch(`${scene.url}/l/autumn`, {
      headers: { 'user-agent': DEVICES.desktop.userAgent },
      redirect: 'manual',
    });
    await until(page, 'document.querySelector("main ol")?.innerText.includes("/autumn")');
  });

  async function ask(path: string, body?: object) {
    const answer = await fetch(scene.url + path, {
      method: body === undefined ? 'GET' : 'PATCH',
      headers: {
        cookie,
        'x-app-id': scene.appId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: unknown = await answer.json();
    return { status: answer.status, body: parsed };
  }

  async function readLink(code: string) {
    return (await ask(`/v1/links/${code}`)).body as { campaignId: string };
  }

  async function restore(code: string, change: object): Promise<void> {
    assert.equal((await ask(`/v1/links/${code}`, change)).status, 200);
  }
});

/** Of two colours such as #12181a, as WCAG defines it. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const full = color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
