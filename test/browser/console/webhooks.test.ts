/** The console's webhooks, against the real program and a real receiver. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  askAsUser,
  type ConsoleScene,
  openConsoleScene,
  press,
  sendEvent,
  shows,
  signInFirst,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { Keyboard } from '../../helpers/keyboard.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { ReceiverProcess } from '../../helpers/webhook-receiver-process.ts';

const browser = await useBrowser();

describe('webhooks in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let receiver: ReceiverProcess;
  let cookie: string;
  let [down, again] = ['', ''];
  before(async () => {
    receiver = await ReceiverProcess.start();
    scene = await openConsoleScene('sqlite', '', RECEIVER_ENV);
    cookie = await signInFirst(scene);
    [down = '', again = ''] = await giveUp('/down', '/again');
  });
  afterEach(() => browser.closePages());
  after(async () => {
    await scene?.end();
    await receiver?.stop();
  });

  const visit = (path: string, device: Device = DEVICES.desktop) =>
    visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device });
  const call = (method: string, path: string, body?: object) =>
    askAsUser(scene, cookie, { method, path, body });
  const answer = (path: string, status: number, headers = {}) =>
    receiver.behave(path, { kind: 'answer', status, headers });

  /** A webhook for each path, whose receiver refuses its message, three times. */
  async function giveUp(...paths: string[]): Promise<string[]> {
    const webhookIds: string[] = [];
    for (const path of paths) {
      await answer(path, 500);
      const fields = { url: receiver.url(path), secret: 'generate', events: ['event.recorded'] };
      webhookIds.push((await call('POST', '/v1/webhooks', fields)).id ?? '');
    }
    await record();
    await waitFor('the messages to be given up', async () => {
      const webhooks = await Promise.all(webhookIds.map((id) => call('GET', `/v1/webhooks/${id}`)));
      const health = webhooks.map((webhook) => webhook.health as unknown as { failed24h: number });
      return health.every(({ failed24h }) => failed24h === 1) ? true : undefined;
    });
    return webhookIds;
  }

  /** An event, of which webhooks are told. */
  async function record(): Promise<void> {
    const { key = '' } = await call('POST', '/v1/keys', { kind: 'live' });
    await sendEvent(scene, key, 'level');
  }

  async function makeInPage(page: Page, path: string): Promise<void> {
    await press(page, 'New webhook');
    await until(page, 'document.querySelector("[name=url]")');
    await write(page, 'url', receiver.url(path));
    await press(page, 'Make webhook');
  }

  it('a secret is made unless one is given, shown once, and not there after a reload; both schedules are said', async () => {
    const page = await visit('webhooks');
    await makeInPage(page, '/made');
    await until(page, shows('whsec_'));
    await assertSound(page, DEVICES.desktop, 'webhook-secret');
    await press(page, 'Done');
    await until(page, `!${shows('whsec_')}`);
    await page.goto(`${scene.url}/console/${scene.appId}/webhooks`);
    await until(page, `${shows('/made')} && ${shows('Nothing sent yet.')}`);
    assert.equal(await page.evaluate(shows('whsec_')), false);
    await page.evaluate(`[...document.querySelectorAll('li')].find((each) => each.innerText.includes('/made'))
      .querySelectorAll('button')[2].click()`);
    for (const said of [
      '1 and 5 seconds',
      '2, 5 and 10 hours, and four times every 12',
      'None chosen means all, later',
    ])
      await until(page, shows(said));
    await page.evaluate(`{
      const select = document.querySelector('[name=template]');
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, 'discord');
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await until(page, shows('Discord takes 30 messages a minute'));
    await assertSound(page, DEVICES.desktop, 'webhook-edit');
  });

  it('what did not arrive is counted first and then sent again; failing, delivering and a pause are said', async () => {
    const page = await visit(`webhooks?tab=deliveries&webhookId=${down}`);
    await until(page, `${shows('Failing since')} && ${shows('1 given up in 24 hours')}`);
    await assertSound(page, DEVICES.desktop, 'webhook-failing');
    await answer('/down', 200);
    await press(page, 'Recover since');
    await until(page, shows('1 message did not arrive'));
    await assertSound(page, DEVICES.desktop, 'webhook-recovery');
    const chosen = await page.evaluate('document.querySelector("[role=dialog] option:checked").innerText');
    assert.match(String(chosen), /^An hour before it began to fail, .*\d:\d\d/);
    await press(page, 'Send 1 message again');
    await until(page, `!document.querySelector('[role=dialog]')`);
    const [entry] = (await call('GET', '/v1/audit-log?action=webhook.recovered')) as unknown as {
      details: { since: string };
    }[];
    assert.match(entry?.details.since ?? '', /:00\.000Z$/, 'since the minute that is said');
    // The head and the list tell it without a reload.
    await until(
      page,
      `${shows('Delivering.')} && ${shows('Last success')} && ${shows('Arrived at attempt 4')}`,
    );

    await answer('/down', 429, { 'retry-after': '600' });
    await press(page, 'Send a test');
    await until(
      page,
      `${shows('Paused until')} && ${shows('the receiver asked for it')} && ${shows('Test failed')}`,
    );
    await assertSound(await visit('webhooks', NARROW), NARROW, 'webhooks-paused');
  });

  it('each attempt shows the answer of its receiver; sent again by R, list and panel say so, then that it arrived', async () => {
    const page = await visit(`webhooks?tab=deliveries&webhookId=${again}`);
    await until(page, shows('Given up after attempt 3'));
    await page.evaluate('document.querySelector("main ol a").click()');
    await until(page, `${shows('The receiver answered 500.')} && ${shows('thanks')}`);
    assert.equal(await page.evaluate('document.querySelectorAll("article details").length'), 3);
    await page.evaluate('document.querySelector("article details").open = true');
    await assertSound(page, DEVICES.desktop, 'webhook-message');
    await receiver.behave('/again', { kind: 'answer', status: 200, afterMs: 2_000 });
    await new Keyboard(page).press('r');
    const counted = (text: string) =>
      `document.body.innerText.split(${JSON.stringify(text)}).length - 1 === 2`;
    await until(page, `${shows('Sent again.')} && ${shows('Sent again since')}`);
    await until(page, `${counted('Arrived at attempt 4')} && !${shows('iven up after')}`);

    // An address names a record that is not on the page that it opens.
    const records = (await call('GET', `/v1/webhooks/deliveries?webhook_id=${again}`)) as unknown as {
      id: string;
    }[];
    const [newest, oldest] = [records[0]?.id, records.at(-1)?.id];
    await page.goto(
      `${scene.url}/console/${scene.appId}/webhooks?tab=deliveries&before=${oldest}&id=${newest}`,
    );
    await until(page, `document.querySelector('article') && ${shows('Arrived at attempt 4.')}`);
  });

  it('switching off asks first with the number of messages that wait; they are dropped, and can be sent again', async () => {
    await answer('/off', 503, { 'retry-after': '600' });
    const fields = { url: receiver.url('/off'), secret: 'generate', events: ['event.recorded'] };
    const { id = '' } = await call('POST', '/v1/webhooks', fields);
    await record();
    await record();
    const page = await visit(`webhooks?tab=deliveries&webhookId=${id}`);
    await until(page, shows('2 waiting'));
    await press(page, 'Switch off');
    await until(page, shows('2 messages wait and will not be sent'));
    assert.equal((await call('GET', `/v1/webhooks/${id}`)).enabled, true);
    await assertSound(page, DEVICES.desktop, 'webhook-off');
    await page.evaluate(
      `[...document.querySelectorAll('[role=dialog] button')].find((each) => each.innerText === 'Switch off').click()`,
    );
    await until(page, shows('Off: nothing is sent.'));
    await press(page, 'Switch on');
    await until(page, `!${shows('Off: nothing is sent.')} && ${shows('Dropped after attempt 1')}`);
    await press(page, 'Recover since');
    await until(page, shows('2 messages did not arrive'));
  });
});
