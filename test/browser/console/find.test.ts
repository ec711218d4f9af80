/** The console's ways to a record: search, filters, exports and the page of a user, against the real program. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  askAsUser,
  type ConsoleScene,
  MARKUP,
  openConsoleScene,
  press,
  shows,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { Keyboard } from '../../helpers/keyboard.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const browser = await useBrowser();
const isIdle = '!document.querySelector("[aria-busy=true]")';
const FIELD = '[role=combobox][aria-label=Search]';

/** IDs of users are any text. */
const ODD_USERS = ['../../up/and down?x=1&y=2#z', '..', MARKUP, 'مستخدم/٧', ' + % %2F', 'long/'.repeat(51)];
/** More than a page of the user's records. */
const EVENTS = 130;

interface Install {
  readonly id: string;
  readonly clickId: string | null;
}

describe('finding a record in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  let headers: Record<string, string>;
  let clickId: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
    const { key = '' } = await call('POST', '/v1/keys', { kind: 'live' });
    headers = { 'x-api-key': key };
    await call('POST', '/v1/links', { deepLinkPath: '/sale', shortCode: 'autumn-late' });
    await sdk('/v1/sdk/identify', { installId: scene.installs.organic, userId: 'user-2002' });
    for (const userId of ODD_USERS) await see(scene.installs.organic, userId);
    const events = Array.from({ length: EVENTS }, (_, index) => ({
      installId: scene.installs.matched,
      eventName: index % 2 === 0 ? 'level, "up"\nnext' : 'purchase',
      userId: 'user-1001',
      ...(index % 2 === 1 && { revenue: { amount: '0.0150', currency: index % 4 === 1 ? 'EUR' : 'USD' } }),
    }));
    await sdk('/v1/sdk/events', { events });
    const install = await readInstall(scene.installs.matched);
    clickId = install.clickId ?? '';
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = (path: string, options: Partial<Parameters<typeof visitConsole>[1]> = {}) =>
    visitConsole(browser, { url: `${scene.url}/console/${scene.appId}${path}`, cookie, ...options });

  const call = <T = Record<string, string>>(method: string, path: string, body?: object) =>
    askAsUser<T>(scene, cookie, { method, path, body });

  const readInstall = (id: string) => call<Install>('GET', `/v1/installs/${id}`);

  async function sdk(path: string, body: object): Promise<void> {
    const answer = await fetch(scene.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${await answer.text()}`);
  }

  const exportsLogged = () =>
    call<{ details: { fields: string[]; filters: object } }[]>(
      'GET',
      '/v1/audit-log?action=records.exported&limit=100',
    );

  const see = (installId: string, userId: string) =>
    sdk('/v1/sdk/event', { installId, eventName: 'seen', userId });

  async function search(page: Page, text: string): Promise<void> {
    await page.press('/');
    await page.type(text);
    await until(page, `document.querySelector('${FIELD}')?.value === ${JSON.stringify(text)}`);
    await page.press('Enter');
  }

  const isAt = (path: string) =>
    `location.pathname + location.search === ${JSON.stringify(`/console/${scene.appId}${path}`)}`;

  it('the search goes to what an ID, its beginning, a code, a campaign or a pasted link names', async () => {
    const { matched } = scene.installs;
    const [event] = await call<{ id: string }[]>('GET', '/v1/events?limit=1');
    const places: readonly (readonly [text: string, path: string])[] = [
      [matched, `/installs/${matched}`],
      [matched.toUpperCase(), `/installs/${matched}`],
      [clickId, `/clicks/${clickId}`],
      [event?.id ?? '', `/events/${event?.id}`],
      ['autumn-late', '/links/autumn-late'],
      ['/autumn-late', '/links/autumn-late'],
      [`${scene.url}/l/autumn-late?utm_source=news`, '/links/autumn-late'],
      ['user-1001', '/user?id=user-1001'],
      [ODD_USERS[0] ?? '', `/user?${new URLSearchParams({ id: ODD_USERS[0] ?? '' })}`],
    ];
    const page = await visit('/settings');
    for (const [text, path] of places) {
      await search(page, text);
      await until(page, isAt(path));
      await until(page, `!document.querySelector('${FIELD}') && document.querySelector("h1") && ${isIdle}`);
    }
  });

  it('the search lists several results for arrows and Enter, says in words what it sought, and gives the focus back', async () => {
    const page = await visit('/settings', { device: NARROW });
    await page.press('/');
    await page.type('autumn');
    await until(page, `document.querySelectorAll('[role=option]').length > 1`);
    await assertSound(page, NARROW, 'search');
    await page.press('ArrowDown');
    const second = `document.querySelectorAll('[role=option]')[1]`;
    await until(
      page,
      `${second}.id === document.querySelector('${FIELD}').getAttribute('aria-activedescendant')`,
    );
    await page.press('Escape');
    await until(page, `!document.querySelector('[role=dialog]')`);
    assert.match((await new Keyboard(page).assertFocused('Escape')).name ?? '', /^Search/);
    await search(page, 'nobody-7');
    await until(page, shows('is called nobody-7. Searched were the IDs of installs'));
  });

  it('from the sign-in page, the ID of a user leads to the verdict on their install', async () => {
    const page = await browser.open(DEVICES.desktop);
    await page.goto(`${scene.url}/console/${scene.appId}`);
    await until(page, 'document.querySelector("[name=password]")');
    assert.equal(await page.evaluate('document.activeElement?.name'), 'email');
    await write(page, 'email', USER.email);
    await write(page, 'password', USER.password);
    await page.press('Enter');
    await until(page, `document.querySelector("h1")?.innerText === "Overview"`);
    await search(page, 'user-2002');
    await until(page, `document.querySelector('main ol a')?.innerText === 'Install'`);
    await page.evaluate(`document.querySelector('main ol a').click()`);
    await until(page, shows('Organic. No link gets this install.'));
    assert.match(
      await page.evaluate<string>('document.querySelector("h1").innerText'),
      /^Install, .*20\d\d.*\d\d:\d\d:\d\d.* [A-Z]/,
    );
    await until(page, shows('There is no click from this network address in the last 24 hours.'));
  });

  it('the filters of a list are in its address, in its total, and in the file that it exports', async () => {
    const page = await visit(
      '/events?eventName=purchase&eventName=none&userId=user-1001&hasRevenue=&method=ORGANIC',
    );
    await until(page, shows('65 events'));
    assert.equal(await page.evaluate('document.querySelectorAll("main .tag").length'), 3);
    await page.evaluate(`document.querySelector('[aria-label="Remove the filter Event: none"]').click()`);
    await until(page, isAt('/events?eventName=purchase&userId=user-1001'));
    await page.press('f');
    await until(page, `document.activeElement?.matches('[aria-label="Filter by"]')`);
    await page.type('reven');
    await page.press('Enter');
    await until(page, `document.activeElement?.matches('[aria-label=Revenue]')`);
    await page.type('with rev');
    await page.press('Enter');
    await until(page, `new URLSearchParams(location.search).get('hasRevenue') === 'true'`);
    await assertSound(page, DEVICES.desktop, 'events-filtered');
    for (const [format, rows] of [
      ['CSV, for spreadsheets', 66],
      ['NDJSON, an object a line', 65],
    ] as const) {
      const text = await save(page, format);
      assert.equal(text.startsWith('\ufeff'), rows === 66, 'CSV alone begins with a byte order mark');
      assert.equal(text.trimEnd().split('\n').length, rows, format);
      await until(page, shows('65 rows'));
      await press(page, 'Close');
    }
    const [entry] = await exportsLogged();
    assert.deepEqual(entry?.details.fields, ['eventName', 'hasRevenue', 'userId']);
    assert.deepEqual(entry?.details.filters, { hasRevenue: 'true' });
    await goOn(page, `${scene.url}/console/${scene.appId}/audit-log?action=records.exported`);
    await until(page, shows('exported events as NDJSON, filtered by Event, Revenue: with revenue, User ID'));
  });

  it('names of many letters without spaces widen no page, and leave room for other columns', async () => {
    const [shortCode, campaignId, userId] = ['s'.repeat(32), 'C'.repeat(64), 'u'.repeat(200)];
    await call('POST', '/v1/links', { deepLinkPath: '/', shortCode, campaignId });
    const agent = { 'user-agent': DEVICES.iphone.userAgent };
    await fetch(`${scene.url}/l/${shortCode}`, { headers: agent, redirect: 'manual' });
    await sdk('/v1/sdk/event', { installId: scene.installs.organic, eventName: 'E'.repeat(64), userId });
    const wide = { ...DEVICES.desktop, viewport: { width: 1280, height: 800 } };
    for (const device of [NARROW, wide]) {
      const page = await visit(`/clicks?visitor=all&campaignId=${campaignId}`, { device });
      await until(page, `document.querySelectorAll('.table tbody tr').length === 1`);
      await page.screenshot(`console-long-names-${device.viewport.width}`);
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      assert.equal(await width(), device.viewport.width);
      if (device === wide)
        assert.ok(
          await page.evaluate(
            `[...document.querySelectorAll('td[data-name=Link], td[data-name=Campaign]')].every((each) => each.offsetWidth >= 96)`,
          ),
        );
      await goOn(page, `${scene.url}/console/${scene.appId}/events?userId=${userId}`);
      await until(page, shows('EEEE'));
      assert.equal(await width(), device.viewport.width);
    }
  });

  it('an export counts rows, not line ends in a cell; the large one goes to the chosen file, and can be cancelled', async () => {
    const page = await visit('/events?userId=user-1001', { scripts: LARGE });
    await until(page, shows('10,000+ events'));
    await save(page, 'CSV, for spreadsheets', 'written');
    await until(page, shows(`${EVENTS} rows`));
    assert.match(await page.evaluate('writtenName'), /events .*\.csv$/);
    await press(page, 'Close');
    await page.evaluate('window.isSlow = true');
    await choose(page, 'CSV, for spreadsheets');
    await until(page, shows('2 rows so far, of 10,000+ events'));
    await press(page, 'Cancel');
    await until(page, `!document.querySelector('[aria-label=Export]') && window.isDropped`);
  });

  it('a user has one page with all records, whatever their ID and number, and exact sums by currency', async () => {
    const exports = (await exportsLogged()).length;
    const page = await visit('/user?id=user-1001');
    const rows = 'document.querySelectorAll("main ol li").length';
    await until(page, `${rows} > 40 && ${shows('Show older ones')}`);
    const text = await page.evaluate<string>('document.querySelector("main dl").innerText');
    // 33 of 0.0150 and 32 of 0.0150, which floating point would not add exactly.
    assert.match(text, /Events\s+130\s+Revenue\s+€0\.495\s+(US)?\$0\.48/);
    assert.equal((await exportsLogged()).length, exports, 'a look at a page is no export');
    for (let more = 0; more < 5 && (await page.evaluate(shows('Show older ones'))); more++) {
      const before = await page.evaluate<number>(rows);
      await press(page, 'Show older ones');
      await until(page, `${rows} > ${before}`);
    }
    await until(page, `${rows} === ${EVENTS} + 0 && !${shows('Show older ones')}`);
    for (const userId of ODD_USERS) {
      await goOn(page, `${scene.url}/console/${scene.appId}/user?${new URLSearchParams({ id: userId })}`);
      assert.equal(await page.evaluate('document.querySelector("h1").textContent'), userId);
      await until(page, `document.querySelectorAll('main ol li').length === 1`);
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth'),
        DEVICES.desktop.viewport.width,
      );
      assert.equal(await page.evaluate('window.broken'), undefined);
    }
  });

  it('the pages of a click, an event and a user fit narrow screens and break no rule of access', async () => {
    const [event] = await call<{ id: string }[]>('GET', '/v1/events?limit=1');
    const page = await visit(`/clicks/${clickId}`, { device: NARROW, setting: { colorScheme: 'dark' } });
    await until(page, shows('has this click.'));
    await assertSound(page, NARROW, 'click');
    for (const path of [`/events/${event?.id}`, '/user?id=user-1001', '/events?eventName=level&country=']) {
      await goOn(page, `${scene.url}/console/${scene.appId}${path}`);
      await assertSound(page, NARROW, path.slice(1, 6));
    }
  });

  it('? lists the keys that do something on the page, and no others', async () => {
    const page = await visit('');
    for (const [path, does, not] of [
      ['/settings', ['Search'], ['Filter', 'Copy the link', 'Next in the list', 'Pause Live']],
      ['/installs', ['Search', 'Filter'], ['Copy the link', 'Next in the list', 'Pause Live']],
      ['/live', ['Search', 'Pause Live'], ['Filter', 'Edit the link']],
    ] as const) {
      await goOn(page, `${scene.url}/console/${scene.appId}${path}`);
      await page.press('?');
      await until(page, 'document.querySelector("[role=dialog] dl")');
      const names = await page.evaluate<string[]>(
        '[...document.querySelectorAll("[role=dialog] dt")].map((each) => each.innerText)',
      );
      for (const name of does) assert.ok(names.includes(name), `${path}: ${name}`);
      for (const name of not) assert.ok(!names.includes(name), `${path}: ${name}`);
    }
  });

  it('erased records say so, in their list and on their page', async () => {
    const { requestIds } = await call<{ requestIds: string[] }>('POST', '/v1/privacy/erase', {
      userId: 'user-1001',
    });
    await waitFor('the erasure', async () => {
      const { completedAt } = await call('GET', `/v1/privacy/erase/${requestIds[0]}`);
      return completedAt === null ? undefined : true;
    });
    const page = await visit('/installs');
    await until(page, shows('at the person’s request'));
    await goOn(page, `${scene.url}/console/${scene.appId}/installs/${scene.installs.matched}`);
    await until(page, shows('at the person’s request'));
    assert.doesNotMatch(await page.evaluate('document.querySelector("main dl").innerText'), /Not told/);
    const leftOut = shows('people who were erased are not in this list');
    for (const filter of ['utmSource=letter', 'utmSource=', 'platformVersion=IOS%2018', 'userId=user-1001']) {
      await goOn(page, `${scene.url}/console/${scene.appId}/installs?${filter}`);
      assert.ok(await page.evaluate(leftOut), filter);
    }
    await goOn(page, `${scene.url}/console/${scene.appId}/installs?platform=IOS`);
    assert.ok(!(await page.evaluate(leftOut)));
  });

  async function choose(page: Page, item: string): Promise<void> {
    await until(
      page,
      `[...document.querySelectorAll('main button')].some((each) => each.innerText.startsWith('Export'))`,
    );
    await page.evaluate(
      `[...document.querySelectorAll('main button')].find((each) => each.innerText.startsWith('Export')).click()`,
    );
    await until(
      page,
      `[...document.querySelectorAll('[role=menuitem]')].some((each) => each.innerText === '${item}')`,
    );
    await page.evaluate(
      `[...document.querySelectorAll('[role=menuitem]')].find((each) => each.innerText === '${item}').click()`,
    );
  }

  /** @returns the text of the file. */
  async function save(
    page: Page,
    item: string,
    into: 'downloaded' | 'written' = 'downloaded',
  ): Promise<string> {
    await page.evaluate(`window.downloaded = undefined; if (!window.isWatched) {
      window.isWatched = true;
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        blob.arrayBuffer().then((bytes) => {
          window.downloaded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        });
        return make.call(URL, blob);
      };
    }`);
    await choose(page, item);
    await until(page, `typeof window.${into} === 'string'`);
    return await page.evaluate<string>(`window.${into}`);
  }
});

/** More records than are counted, a file that the user chose, and an answer whose end can be put off. */
const LARGE = `
  const ask = fetch;
  window.fetch = async (request) => {
    const answer = await ask(request);
    if (new URL(request.url ?? request, location.href).searchParams.get('include') === 'total')
      return new Response(answer.body, { headers: { 'X-Total-Count': '10000+', 'content-type': 'application/json' } });
    if (!window.isSlow || request.headers.get('accept') !== 'text/csv') return answer;
    const text = new TextEncoder().encode('id\\n1\\n2\\n');
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(text) }));
  };
  window.showSaveFilePicker = async ({ suggestedName }) => {
    window.writtenName = suggestedName;
    const handle = await (await navigator.storage.getDirectory()).getFileHandle('export', { create: true });
    return { createWritable: async () => {
      const file = await handle.createWritable();
      return new WritableStream({
        write: (bytes) => file.write(bytes),
        abort: async (reason) => {
        await file.abort(reason);
        window.isDropped = true;
      },
        close: async () => {
          await file.close();
          window.written = await (await handle.getFile()).text();
        },
      });
    } };
  };`;
