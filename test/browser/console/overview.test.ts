/** Overview in a browser, against the real program: money, honest time, whole lists, and the records behind numbers. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  MARKUP,
  openConsoleScene,
  press,
  SAFARI,
  signInFirst,
  until,
} from '../../helpers/console-scene.ts';

/** Of the pages of the tests' browser. */
const ZONE = 'America/New_York';
/** Keeps what the page saves as files. */
const KEEP_FILES = `
  window.files = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (file) => { files.push(file); return make.call(URL, file); };`;
/** Answers as in the first hours of today, as many as the address says behind #. */
const TODAY = `
  const ask = fetch;
  fetch = async (...call) => {
    const answer = await ask(...call);
    if (!call[0].url.includes('/v1/stats')) return answer;
    const body = await answer.json();
    const [point] = body.series;
    const count = Number(location.hash.slice(1)) || 1;
    body.series = Array.from({ length: count }, (_, hour) => ({
      ...point,
      at: point.at.slice(0, 11) + String(hour).padStart(2, '0') + point.at.slice(13),
      partial: hour === count - 1,
    }));
    return Response.json(body);
  };`;
/** Between the texts below the chart. */
const GAPS = `[...document.querySelectorAll('main figure [aria-hidden] > span')]
  .map((each) => each.getBoundingClientRect())
  .filter(({ width }) => width > 0)
  .flatMap(({ left }, index, all) => (index === 0 ? [] : [left - all[index - 1].right]))`;

const browser = await useBrowser();

describe('overview', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
    await tap('/l/autumn?utm_source=letter');
    const { key } = await ask('POST', '/v1/keys', { kind: 'live' });
    const event = {
      installId: scene.installs.matched,
      eventName: 'purchase',
      revenue: { amount: '3.00', currency: 'USD' },
    };
    await ask('POST', '/v1/sdk/event', event, { 'x-api-key': String(key) });
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = async (path = '', device: Device = DEVICES.desktop) =>
    await visitConsole(browser, {
      url: `${scene.url}/console/${scene.appId}${path}`,
      ...{ cookie, device, scripts: KEEP_FILES },
    });

  it('which campaign brought most paying installs, and whether that is more than before, is a CSV after five presses', async () => {
    const page = await visit();
    await page.evaluate('document.querySelector("[aria-label^=Period]").click()');
    await choose(page, 'Last 14 days');
    await until(page, 'new URLSearchParams(location.search).get("days") === "14"');
    await follow(page, 'Paying installs', '.rank-heads a');
    await until(page, 'new URLSearchParams(location.search).get("sort") === "payingInstalls"');
    await follow(page, 'All campaigns', 'main a');
    await until(
      page,
      'document.querySelector("h1").innerText === "Campaigns" && document.querySelector("main table")',
    );
    await assertSound(page, DEVICES.desktop, 'campaigns');
    await press(page, 'Save as CSV');
    await until(page, 'files.length > 0');
    const [head = '', ...rows] = (await page.evaluate<string>('files[0].text()'))
      .replace('\ufeff', '')
      .split('\n');
    assert.match(
      head,
      /^Campaign,Clicks,Clicks before,Installs,Installs before,Paying installs,Paying installs before,Revenue EUR,/,
    );
    assert.deepEqual(
      rows.filter(Boolean).toSorted(),
      [
        `"${MARKUP.replaceAll('"', '""')}",3,0,1,0,1,0,12.5,0,3,0`,
        '(none),0,0,1,0,1,0,12.5,0,0,0',
      ].toSorted(),
    );
    await page.evaluate('document.querySelector("[type=search]").focus()');
    await page.type('no such');
    await until(
      page,
      'document.querySelector("main").innerText.includes("Nothing has “no such” in its name")',
    );
    assert.equal(await page.evaluate('new URLSearchParams(location.search).get("q")'), 'no such');
  });

  it('each number leads to exactly the records that it counts or sums, or nowhere', async () => {
    const page = await visit();
    for (const tab of ['', 'Sources', 'Platforms', 'OS versions', 'App versions']) {
      if (tab !== '') await press(page, tab);
      await until(page, '!document.querySelector("[aria-busy=true]")');
      const numbers = await page.evaluate<[string, string][]>(`[...document.querySelectorAll('main a')]
        .filter(({ pathname }) => /\\/(clicks|installs|opens|events)$/.test(pathname))
        .map(({ innerText, href }) => [innerText, href])`);
      assert.ok(numbers.length > 5, tab);
      for (const [text, href] of numbers) {
        const { pathname, search } = new URL(href);
        const path = `/v1/${pathname.split('/').at(-1)}${search}&include=total`;
        const answer = await fetch(scene.url + path, { headers: { cookie, 'x-app-id': scene.appId } });
        const records = (await answer.json()) as { revenue?: { amount: string } }[];
        assert.equal(answer.headers.get('x-total-count'), String(records.length), path);
        const sum = records.reduce((all, { revenue }) => all + Number(revenue?.amount ?? 0), 0);
        // Of two installs one is attributed, and three events have revenue.
        const counted =
          text === '50.0%' ? 1 : text === 'Events with revenue' ? 3 : Number(text.replace('€', ''));
        assert.equal(text.startsWith('€') ? sum : records.length, counted, `${tab} ${text}: ${path}`);
      }
    }
  });

  it('today is by hour and ends now, marked wherever it shows, and is compared with the same hours', async () => {
    const page = await visit('?days=1');
    await until(page, 'document.querySelector("main [role=img]")');
    assert.match(
      await page.evaluate('document.querySelector("main [role=img]").ariaLabel'),
      /^Clicks by hour/,
    );
    const text = await page.evaluate<string>('document.querySelector("main").innerText');
    assert.match(text, /compared with .*, up to the same time \(.*\)\. Days of America\/New_York\./);
    assert.match(text, /This hour, so far/);
    await press(page, 'Show as table');
    const rows = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main figure tbody tr')].map(({ innerText }) => innerText)`,
    );
    const hour = Number(
      new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone: ZONE }).format(),
    );
    // The hour may end while the test runs.
    assert.ok(Math.abs(rows.length - (hour + 1)) <= 1, `${rows.length} rows`);
    assert.deepEqual(
      rows.map((row) => row.includes('so far')),
      rows.map((_, index) => index === rows.length - 1),
    );
  });

  it('of the first hours of today the texts below the chart do not touch, on narrow screens too', async () => {
    for (const device of [NARROW, DEVICES.tablet, DEVICES.desktop]) {
      const url = `${scene.url}/console/${scene.appId}?days=1`;
      const page = await visitConsole(browser, { url, cookie, device, scripts: TODAY });
      for (const hours of [4, 6, 15, 22]) {
        await page.evaluate(`location.hash = '${hours}'`);
        await page.reload();
        await until(page, 'document.querySelector("main [role=img]")');
        const gaps = await page.evaluate<number[]>(GAPS);
        const name = `${hours} hours at ${device.viewport.width}: ${gaps.join()}`;
        assert.ok(gaps.length > 0 && gaps.every((gap) => gap > 0), name);
      }
    }
  });

  it('days that have not come yet, and an address that cannot be read, are said in words', async () => {
    for (const path of ['', '/lists/campaigns', '/retention']) {
      const page = await visit(`${path}?from=2099-12-01&to=2099-12-05`);
      await until(
        page,
        '/These days have not come yet[^]*Dec 1, 2099 to Dec 5, 2099/.test(document.querySelector("main").innerText)',
      );
      await page.goto(`${scene.url}/console/${scene.appId}${path}?from=2026-11-31&to=2026-12-02`);
      await until(
        page,
        'document.querySelector("main")?.innerText.includes("no day is “2026-11-31”. Shown: ")',
      );
    }
    const page = await visit();
    await page.evaluate('document.querySelector("[aria-label^=Period]").click()');
    await choose(page, 'Dates …');
    await until(page, 'document.querySelector("[name=to]")');
    const ahead =
      '[name=to]").value = "2099-12-05", document.querySelector("[name=to]").validity.rangeOverflow';
    assert.equal(await page.evaluate(`document.querySelector("${ahead}`), true);
  });

  it('sums of two currencies stand beside each other, each with its own change and chart, never added', async () => {
    const page = await visit();
    const revenue = await page.evaluate<string>('document.querySelector(".strip-cell:last-child").innerText');
    assert.match(
      await page.evaluate('document.querySelector("main").innerText'),
      /Paying installs: the installs of the period before had more time to pay/,
    );
    assert.match(revenue, /Revenue\s+€25.00\s+nothing before\s+\$3.00\s+nothing before/);
    await follow(page, '$3.00', '.strip-cell a');
    await until(page, 'document.querySelector("figcaption").innerText.includes("Revenue in USD")');
    await until(page, 'document.querySelector("main [role=img]").ariaLabel.includes("highest $3.00")');
  });

  it('the copied view carries the time zone, and the chosen columns', async () => {
    const page = await visit();
    await press(page, 'Columns');
    await choose(page, 'Revenue for an install', 'menuitemcheckbox');
    await until(page, 'location.search.includes("revenuePerInstall")');
    await page.evaluate(
      'document.querySelector("[role=menu]").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }))',
    );
    await until(
      page,
      '!document.querySelector("[role=menu]") && document.querySelector(".rank-heads").innerText.includes("for an install")',
    );
    await press(page, 'Copy view');
    await until(page, 'document.querySelector("main").innerText.includes("Copied")');
    const copied = new URL(await page.clipboard()).searchParams;
    assert.equal(copied.get('tz'), ZONE);
    assert.equal(copied.get('columns'), 'clicks,installs,payingInstalls,revenue,revenuePerInstall');
  });

  it('a source narrows the page down, and a list that is not counted for one says so', async () => {
    const page = await visit();
    await press(page, 'Sources');
    await until(page, '!document.querySelector("[aria-busy=true]")');
    await follow(page, 'letter', 'a.rank-label');
    await until(page, 'new URLSearchParams(location.search).get("utmSource") === "letter"');
    await until(page, 'document.querySelector("main").innerText.includes("Not counted for one source")');
    await until(
      page,
      '/Clicks\\s+1\\s/.test(document.querySelector("section[aria-label=Totals]").innerText)',
    );
  });

  it('lists with all columns keep their names and scroll in themselves, and no amount lies over another', async () => {
    const columns =
      'columns=clicks,installs,attributed,opens,events,payingInstalls,firstPurchases,revenue,cohortRevenue,revenuePerInstall,cost';
    const laptop = { ...DEVICES.desktop, viewport: { width: 1280, height: 800 } };
    for (const [device, path] of [
      [laptop, ''],
      [NARROW, ''],
    ] as const) {
      const page = await visit(`${path}?${columns}`, device);
      const named = '.wide .rank-label, .wide tbody th';
      await until(page, `document.querySelector('${named}')`);
      const narrowest = `Math.min(...[...document.querySelectorAll('${named}')].map((each) => each.clientWidth))`;
      assert.ok((await page.evaluate<number>(narrowest)) >= 140, path);
      assert.ok(await page.evaluate(`document.querySelector('.wide[aria-label]').tabIndex === 0`));
      await page.evaluate(`document.querySelectorAll('.strip-figure').forEach((each) => {
          each.style.setProperty('--characters', 14); each.textContent = 'R$100,000,000'; })`);
      assert.ok(
        await page.evaluate(
          `[...document.querySelectorAll('.strip-figure')].every((each) => each.scrollWidth <= each.clientWidth)`,
        ),
      );
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, device.viewport.width, path);
    }
  });

  it('an empty app names the other app of the user that has data', async () => {
    const { id } = await ask('POST', '/v1/admin/apps', { name: 'Empty shop' });
    const page = await visitConsole(browser, { url: `${scene.url}/console/${id}`, cookie });
    await until(page, '/has data/.test(document.querySelector("main").innerText)');
  });

  it('a phone of 320 px has Copy view and Export, and every list with its figures', async () => {
    const page = await visit('', NARROW);
    const buttons = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main button')].filter((each) => each.checkVisibility()).map(({ innerText }) => innerText)`,
    );
    assert.ok(buttons.includes('Copy view') && buttons.includes('Export'), buttons.join());
    await press(page, 'Export');
    await choose(page, 'Links');
    await until(page, 'files.length > 0');
    assert.match(await page.evaluate('files[0].text()'), /\/autumn,3,0,1,0,/);
    await page.goto(`${scene.url}/console/${scene.appId}/lists/links`);
    await until(page, 'document.querySelector("main table")');
    await assertSound(page, NARROW, 'links-whole');
  });

  async function choose(page: Page, name: string, role = '^menuitem'): Promise<void> {
    const item = `[...document.querySelectorAll('[role=menu] [role]')].find((each) => /${role}/.test(each.role) && each.innerText.includes('${name}'))`;
    await until(page, item);
    await page.evaluate(`${item}.click()`);
  }

  /** Follows a link whose words begin with these. */
  async function follow(page: Page, words: string, selector: string): Promise<void> {
    const link = `[...document.querySelectorAll('${selector}')].find((each) => each.innerText.startsWith('${words}'))`;
    await until(page, link);
    await page.evaluate(`${link}.click()`);
  }

  async function tap(path: string): Promise<void> {
    await fetch(scene.url + path, { headers: { 'user-agent': SAFARI, accept: 'text/html' } });
  }

  async function ask(method: string, path: string, body: object, headers: Record<string, string> = {}) {
    const session = { cookie, 'x-app-id': scene.appId };
    const answer = await fetch(scene.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...('x-api-key' in headers ? headers : session) },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  }
});
