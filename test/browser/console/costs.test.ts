/** Costs in the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();
/** The next cost need not wait for what reads the former one. */
const STATS_HANG = `
  const send = fetch;
  window.fetch = (request) => request.url.includes('/v1/stats') ? new Promise(() => {}) : send(request);`;

/** As after an install whose network tells the name. */
const NAMED = `
  const ask = fetch;
  window.fetch = async (request) => {
    const answer = await ask(request);
    if (request.method !== 'GET' || !request.url.includes('/v1/costs')) return answer;
    const costs = await answer.json();
    return Response.json(costs.map((cost) => ({ ...cost, networkCampaignName: 'Spring sale' })));
  };`;

describe('costs in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let operator: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    operator = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = (path: string, cookie = operator, device: Device = DEVICES.desktop, scripts = '') =>
    visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device, scripts });

  const post = async (path: string, body: object, cookie = operator) => {
    const answer = await fetch(scene.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, 'x-app-id': scene.appId },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer;
  };
  const stored = async () => {
    const headers = { cookie: operator, 'x-app-id': scene.appId };
    const costs = (await (await fetch(`${scene.url}/v1/costs`, { headers })).json()) as {
      date: string;
      campaignId: string;
      cost: { amount: string; currency: string };
    }[];
    return costs.map(({ date, campaignId, cost }) => `${date} ${campaignId} ${cost.amount} ${cost.currency}`);
  };
  const choose = async (page: Page, text: string) =>
    await page.evaluate(`(() => {
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(text)}], 'costs.csv', { type: 'text/csv' }));
      const field = document.querySelector('input[type=file]');
      field.files = files.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
  const shows = (page: Page, text: string) =>
    until(page, `document.body.innerText.includes(${JSON.stringify(text)})`);

  it('one after the other are typed with the keyboard alone, a wrong one is refused beside its field, and one is deleted', async () => {
    const page = await visit('costs', operator, DEVICES.desktop, STATS_HANG);
    await shows(page, 'No costs yet');
    await write(page, 'campaignId', 'img');
    await until(page, 'document.querySelector("[role=option]")');
    await write(page, 'campaignId', 'spring');
    await write(page, 'amount', '12,5o');
    await write(page, 'currency', 'usd');
    await page.press('Enter');
    await until(page, 'document.querySelector("[name=amount]").getAttribute("aria-invalid") === "true"');
    assert.deepEqual(await findViolations(page), []);
    await write(page, 'amount', '12,5');
    await page.press('Enter');
    await shows(page, 'Added');
    await shows(page, 'No link has this campaign');
    await until(page, 'document.activeElement.name === "campaignId" && document.activeElement.value === ""');
    const day = await page.evaluate<string>('document.querySelector("[name=date]").value');
    assert.deepEqual(await stored(), [`${day} spring 12.50 USD`]);
    await page.type('spring');
    await write(page, 'amount', '13');
    await page.press('Enter');
    await shows(page, 'Replaced the former cost');
    await until(page, 'document.querySelector("td.num").innerText.includes("13.00")');
    await page.evaluate('document.querySelector("[aria-label^=Delete]").click()');
    await shows(page, 'Delete this cost?');
    await press(page, 'Delete cost');
    await shows(page, 'No costs yet');
    assert.deepEqual(await stored(), []);
  });

  it('of a campaign of a network are typed in the same form, listed by its name and ID, and narrowed down to it', async () => {
    const page = await visit('costs', operator, DEVICES.desktop, NAMED);
    await write(page, 'network', 'meta');
    await until(page, 'document.querySelector("[name=networkCampaignId]")');
    await write(page, 'networkCampaignId', '111');
    await write(page, 'amount', '3');
    await write(page, 'currency', 'EUR');
    await page.press('Enter');
    await shows(page, 'for Meta 111,');
    await until(page, 'document.querySelector("td .tag")?.innerText === "Meta"');
    await shows(page, 'Spring sale 111');
    await assertSound(page, DEVICES.desktop, 'costs-network');
    await page.evaluate('document.querySelector("td .link").click()');
    await shows(page, 'Campaign: Spring sale (Meta 111)');
    await press(page, 'Delete these');
    await shows(page, 'All costs of Meta 111');
    await press(page, 'Delete 1 cost');
    await shows(page, 'No costs here');
    assert.deepEqual(await stored(), []);
  });

  it('of a file are shown as they were understood, and stored only then, with a report of the lines', async () => {
    const page = await visit('costs/upload');
    await choose(page, 'nothing');
    await shows(page, 'are missing. The first line must name the columns');
    const rows = ['2026-01-31;<b>x</b>;1,5;EUR;7', '2026-01-30;b;2;EUR;7', '31.01.2026;c;3;EUR;7'];
    const file = `date;campaign;amount;currency;clicks\r\n${rows.join('\r\n')}`;
    await choose(page, file);
    await shows(page, 'Store 2 costs');
    await until(page, 'document.querySelector("main h2").innerText === "costs.csv"');
    const text = await page.evaluate<string>('document.querySelector("main").innerText');
    for (const part of ['<b>x</b>', '€1.50', 'Ignored columns: clicks', 'unknown campaigns', '31.01.2026'])
      assert.ok(text.includes(part), `${part}: ${text}`);
    assert.deepEqual(await stored(), []);
    await assertSound(page, DEVICES.desktop, 'costs-preview');
    const narrow = await visit('costs/upload', operator, NARROW);
    await choose(narrow, file);
    await shows(narrow, 'Store 2 costs');
    await assertSound(narrow, NARROW, 'costs-preview-narrow');
    await press(page, 'Store 2 costs');
    await shows(page, '2 rows added');
    await shows(page, 'Not stored');
    assert.deepEqual(await stored(), ['2026-01-31 <b>x</b> 1.50 EUR', '2026-01-30 b 2.00 EUR']);
    await goOn(page, `${scene.url}/console/${scene.appId}/costs`);
    await assertSound(page, DEVICES.desktop, 'costs');
    await assertSound(await visit('costs?campaignId=b', operator, NARROW), NARROW, 'costs-narrow');
    await goOn(page, `${scene.url}/console/${scene.appId}/costs?campaignId=b&from=2026-01-01`);
    await press(page, 'Delete these');
    await shows(page, 'All costs of b from 2026-01-01');
    await press(page, 'Delete 1 cost');
    await shows(page, 'No costs here');
    assert.deepEqual(await stored(), ['2026-01-31 <b>x</b> 1.50 EUR']);
  });

  it('a viewer sees, and changes nothing', async () => {
    const invitation = { email: 'viewer@shop.example', role: 'viewer' };
    const { url } = (await (await post('/v1/invitations', invitation)).json()) as { url: string };
    const joining = { token: new URL(url).hash.slice(1), name: 'Viewer', password: USER.password };
    const joined = await post('/v1/invitations/accept', joining, '');
    const cookie = joined.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const page = await visit('costs', cookie);
    await until(page, 'document.querySelector("h1").innerText === "Costs"');
    await until(page, '!document.querySelector("[aria-busy=true]")');
    assert.equal(
      await page.evaluate('document.querySelectorAll("main form, [aria-label^=Delete]").length'),
      0,
    );
    await goOn(page, `${scene.url}/console/${scene.appId}/costs/upload`);
    await shows(page, 'Your role does not include this');
  });
});
