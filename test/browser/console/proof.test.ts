/** Proofs about the console as a whole, against the real program: keys alone, still pages, outages, emptiness, markup. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import {
  type ConsoleScene,
  MARKUP,
  openConsoleScene,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { makeOperator, openSignedIn } from '../../helpers/console-user.ts';
import { Keyboard } from '../../helpers/keyboard.ts';

/** The main screens below an app, with words that each shows in an app without anything. */
const SCREENS: readonly (readonly [path: string, whenEmpty: string])[] = [
  ['', 'Clicks'],
  ['/live', 'Nothing yet'],
  ['/links', 'No links yet'],
  ['/clicks', 'None yet'],
  ['/installs', 'None yet'],
  ['/opens', 'None yet'],
  ['/events', 'None yet'],
  ['/user?id=nobody', 'No live records name this user'],
  ['/webhooks', 'No webhooks yet'],
  ['/webhooks?tab=deliveries', 'No messages'],
  ['/postbacks', 'No postbacks yet'],
  ['/set-up', '0 of 9 done'],
  ['/team', 'No members yet'],
  ['/keys', 'No keys yet'],
  ['/audit-log', 'created'],
  ['/settings', 'Settings'],
];
const MAX_LAYOUT_SHIFT = 0.05;
const PAGES_AT_ONCE = 6;
/** Long enough for a skeleton to show before the data. */
const SLOW_MS = 450;
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput)
      shifts.push([entry.value, entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? 'a text')]);
  }).observe({ type: 'layout-shift', buffered: true });
  const ask = fetch;
  window.fetch = async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, ${SLOW_MS}));
    return await ask(...call);
  };`;
/** Every call but that of the session answers an outage while \`failing\` is true. */
const OUTAGE = `
  const ask = fetch;
  window.failing = true;
  window.fetch = async (request) => window.failing && !new URL(request.url ?? request, location.href).pathname.endsWith('/v1/session')
    ? new Response('{"error":"The database does not answer."}', {
        status: 503, headers: { 'X-Service-Error': 'database.unavailable', 'X-Request-Id': 'request-7' } })
    : await ask(request);
  const Source = EventSource;
  window.EventSource = class extends Source {
    constructor(address) {
      super(window.failing ? address.replace('/v1/live', '/v1/missing') : address);
    }
  };`;
/** Counts changes, and answers them late. */
const SLOW_CHANGES = `
  const ask = fetch;
  window.changes = 0;
  window.fetch = async (request) => {
    if (request.method !== 'GET') {
      window.changes++;
      await new Promise((resolve) => setTimeout(resolve, ${SLOW_MS}));
    }
    return await ask(request);
  };`;
/** The install has another click of its phone than the likeliest. */
const OTHER_CREDIT = `
  const ask = fetch;
  window.fetch = async (request) => {
    const answer = await ask(request);
    if (!/\\/v1\\/installs\\/[^/?]+$/.test(request.url ?? request)) return answer;
    const install = await answer.json();
    return Response.json({ ...install, clickId: install.explanation.fingerprint.candidates[1].clickId });
  };`;

const browser = await useBrowser();

describe('the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await makeOperator(scene.url, await scene.makeSetupUrl());
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  async function visit(path: string, script = ''): Promise<Page> {
    const page = await openSignedIn(browser, { url: scene.url, cookie, device: DEVICES.desktop });
    if (script !== '') await page.beforeScripts(script);
    await goTo(page, path);
    return page;
  }

  async function goTo(page: Page, path: string): Promise<void> {
    await page.goto(`${scene.url}/console/${path}`);
    await until(page, 'document.querySelector("h1")?.innerText');
  }

  /** Visits the screens with a few pages. */
  async function onEach<T extends readonly [path: string, ...unknown[]]>(
    screens: readonly T[],
    { appId, script = '' }: { appId: string; script?: string },
    work: (page: Page, screen: T) => Promise<void>,
  ): Promise<void> {
    const left = screens.values();
    const readers = Array.from({ length: PAGES_AT_ONCE }, async () => {
      const page = await visit(appId, script);
      for (const screen of left) {
        await goTo(page, appId + screen[0]);
        await work(page, screen);
      }
    });
    await Promise.all(readers);
  }

  const isIdle = '!document.querySelector("[aria-busy=true]")';
  const heading = (text: string) =>
    `document.querySelector("h1")?.innerText.includes(${JSON.stringify(text)})`;
  const shows = (text: string) =>
    `document.querySelector("main").innerText.includes(${JSON.stringify(text)})`;

  it('the ten commonest tasks need no mouse, and the focus is always seen', async () => {
    const page = await browser.open(DEVICES.desktop);
    const keys = new Keyboard(page);
    const go = async (letter: string, title: string) => {
      await keys.type(`g${letter}`);
      await until(page, `${heading(title)} && ${isIdle}`);
    };

    await page.goto(`${scene.url}/console/${scene.appId}`);
    await until(page, 'document.querySelector("[name=password]")');
    await keys.tabTo('Email');
    await keys.type(USER.email);
    await keys.tabTo('Password');
    await keys.type(USER.password);
    await keys.press('Enter');
    await until(page, `${heading('Overview')} && ${isIdle}`);

    await keys.tabTo('Period: Last 28 days');
    await keys.press('Enter');
    await until(page, 'document.querySelector("[role=menu]")?.contains(document.activeElement)');
    await keys.choose('Last 7 days');
    await until(
      page,
      'new URLSearchParams(location.search).get("days") === "7" && !document.querySelector("[role=menu]")',
    );
    assert.equal((await keys.assertFocused('a choice')).name, 'Period: Last 7 days');

    await go('l', 'Links');
    await keys.tabTo('/autumn');
    await keys.press('Enter');
    await until(page, `${heading('autumn')} && ${isIdle}`);

    await keys.tabTo(/^Copy/);
    await keys.press('Enter');
    await until(page, 'document.querySelector("[data-copy]").innerText === "Copied"');
    assert.equal(await page.clipboard(), `${scene.url}/l/autumn`);
    await keys.assertFocused('Copy');

    await go('l', 'Links');
    await keys.tabTo('Path in the app, or a web address, of a new link');
    await keys.type('/by/keys');
    await keys.press('Enter');
    await until(page, `${shows('Leads to /by/keys in the app.')} && ${isIdle}`);

    await go('l', 'Links');
    await keys.press('f');
    assert.equal((await keys.assertFocused('f')).name, 'Filter links');
    await keys.type('by/keys');
    await until(page, `!${shows('/autumn')} && ${shows('/by/keys')}`);
    assert.equal((await keys.assertFocused('a filter')).name, 'Filter links');
    await keys.tabTo(/^State/);

    await go('i', 'Installs and opens');
    await keys.tabTo(/\d:\d\d/);
    await keys.press('Enter');
    await until(page, `${heading('Install,')} && ${isIdle}`);

    await go('v', 'Live');
    await until(page, shows('Listening'));
    await keys.press(' ');
    await until(page, shows('Paused'));
    await keys.tabTo(/^Go on/);
    await keys.press(' ');
    await until(page, shows('Listening'));
    await keys.assertFocused('Space');

    await go('w', 'Webhooks');
    await keys.tabTo('New webhook');
    await keys.press('Enter');
    await until(page, 'document.querySelector("[role=dialog]")?.contains(document.activeElement)');
    await keys.press('Escape');
    await until(page, '!document.querySelector("[role=dialog]")');
    assert.equal((await keys.assertFocused('Escape')).name, 'New webhook');
    await keys.press('Enter');
    await until(page, 'document.querySelector("[role=dialog]")?.contains(document.activeElement)');
    if ((await keys.assertFocused('the dialog opened')).name !== 'Address') await keys.tabTo('Address');
    await keys.type('https://hooks.shop.example/keys');
    await keys.tabTo('Make webhook');
    await keys.press('Enter');
    await until(page, 'document.body.innerText.includes("whsec_")');
    await keys.tabTo('Done');
    await keys.press('Enter');
    await until(page, `!document.querySelector("[role=dialog]") && ${shows('hooks.shop.example/keys')}`);
    assert.equal((await keys.assertFocused('the dialog closed')).name, 'New webhook');

    await go('t', 'Team');
    await keys.tabTo('Email');
    await keys.type('nora@shop.example');
    await keys.tabTo('Make invitation');
    await keys.press('Enter');
    await until(page, shows('nora@shop.example in'));
    assert.equal((await keys.assertFocused('an invitation')).name, 'Make invitation');

    await keys.tabTo(`Account: ${USER.name}`);
    await keys.press('Enter');
    await until(page, 'document.querySelector("[role=menu]")?.contains(document.activeElement)');
    await keys.choose('Sign out');
    await until(page, heading('Sign in'));
  });

  it('nothing jumps while a slow answer arrives, on every screen', async () => {
    const { appId, installs } = scene;
    const screens = [...SCREENS, ['/links/autumn'], [`/installs/${installs.matched}`]] as const;
    const jumps: Record<string, unknown> = {};
    await onEach(screens, { appId, script: WATCH_SHIFTS }, async (page, [path]) => {
      await until(page, isIdle);
      const early = await page.evaluate<string>('document.querySelector("main").innerText');
      assert.doesNotMatch(early, /Phone\s+Not told|link not kept/, 'says nothing of what it has not read');
      // Some of it is read after the first answer, such as the link of a click.
      await sleep(2 * SLOW_MS);
      await until(page, isIdle);
      const shifts = await page.evaluate<[number, string[]][]>('shifts');
      const sum = shifts.reduce((all, [value]) => all + value, 0);
      if (sum > MAX_LAYOUT_SHIFT) jumps[path] = { sum, shifts };
    });
    assert.deepEqual(jumps, {});
  });

  it('with an API that fails, every screen says so and has a way on', async () => {
    const { appId } = scene;
    const screens = SCREENS.filter(([path]) => path !== '/live');
    const again =
      '[...document.querySelectorAll("main button")].filter((each) => each.innerText === "Try again")';
    await onEach(screens, { appId, script: OUTAGE }, async (page, [path]) => {
      await until(page, `${again}.length > 0 && /No answer/.test(document.querySelector("main").innerText)`);
      const text = await page.evaluate<string>('document.querySelector("main").innerText');
      for (const part of ['No answer', 'The database does not answer.', 'database.unavailable', 'request-7'])
        assert.ok(text.includes(part), `${path}: ${part}: ${text}`);
      await page.evaluate(`window.failing = false; for (const each of ${again}) each.click();`);
      await until(page, `!document.querySelector("[role=alert]") && ${isIdle}`);
    });
    const live = await visit(`${appId}/live`, OUTAGE);
    await until(live, shows('Connection lost'));
    await live.evaluate('window.failing = false');
    await until(live, shows('Listening'));
  });

  it('a button keeps the focus while its change runs, and takes no second press', async () => {
    const page = await visit(`${scene.appId}/team`, SLOW_CHANGES);
    await write(page, 'email', 'mona@shop.example');
    const focused = 'document.activeElement.innerText === "Make invitation"';
    await page.evaluate(`const button = [...document.querySelectorAll('button')].find((each) => each.innerText === 'Make invitation');
      button.focus(); button.click(); button.click();`);
    await until(page, `window.changes > 0 && document.activeElement.ariaDisabled === 'true' && ${focused}`);
    await until(page, `${shows('mona@shop.example in')} && ${focused}`);
    assert.equal(await page.evaluate('window.changes'), 1);
  });

  it('the audit log shows names, not identifiers', async () => {
    const page = await visit(`${scene.appId}/audit-log`);
    await until(page, 'document.querySelector("main").innerText.includes("made the link")');
    const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/;
    assert.doesNotMatch(await page.evaluate('document.querySelector("main").innerText'), uuid);
  });

  it('a trace says which click has the credit, if the likeliest of the phone has not', async () => {
    const page = await visit(`${scene.appId}/installs/${scene.installs.matched}`, OTHER_CREDIT);
    await until(
      page,
      `/Credited: its click of .* on \\/autumn/.test(document.querySelector("main").innerText)`,
    );
    assert.ok(await page.evaluate(shows('The credit goes to another click of the same phone.')));
  });

  it('an app without anything says what comes, on every screen', async () => {
    const appId = await scene.makeApp('Empty');
    await onEach(SCREENS, { appId }, async (page, [path, words]) => {
      await until(page, `${isIdle} && ${shows(words)}`);
      assert.equal(await page.evaluate('document.querySelector("main [role=alert]")'), null, path);
    });
  });

  it('text that tries to be markup stays text, on every list', async () => {
    const phone = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${MARKUP}`;
    await fetch(`${scene.url}/l/autumn?utm_source=${encodeURIComponent(MARKUP)}`, {
      headers: { 'user-agent': phone },
      redirect: 'manual',
    });
    const screens = [
      ...[['', 1] as const, ['/links', 2] as const, ['/links/autumn', 2] as const],
      ...[['/clicks', 2] as const, ['/installs', 1] as const, ['/events', 2] as const],
      [`/installs/${scene.installs.matched}`, 1] as const,
    ];
    await onEach(screens, { appId: scene.appId }, async (page, [path, times]) => {
      const found = `document.querySelector('main').innerText.split(${JSON.stringify(MARKUP)}).length - 1`;
      await until(page, `${isIdle} && ${found} >= ${times}`);
      assert.equal(await page.evaluate('window.broken'), undefined, path);
      assert.equal(await page.evaluate('document.querySelectorAll("img[src=x]").length'), 0, path);
    });
  });
});
