/** The console's webhooks, against the real program and a real receiver. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { Keyboard } from '../../helpers/keyboard.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';
import { ReceiverProcess } from '../../helpers/webhook-receiver-process.ts';

const browser = await useBrowser();
const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;

describe('webhooks in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let receiver: ReceiverProcess;
  let cookie: string;
  before(async () => {
    receiver = await ReceiverProcess.start();
    scene = await openConsoleScene('sqlite', '', RECEIVER_ENV);
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(async () => {
    await scene?.end();
    await receiver?.stop();
  });

  const visit = (path: string, device: Device = DEVICES.desktop) =>
    visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device });
  const call = async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
    const headers = {
      cookie,
      'x-app-id': scene.appId,
      origin: scene.url,
      'content-type': 'application/json',
    };
    const answer = await fetch(scene.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return (await answer.json()) as Record<string, string>;
  };
  const answer = (path: string, status: number, headers = {}) =>
    receiver.behave(path, { kind: 'answer', status, headers });

  /** A webhook whose receiver refuses its message, three times. */
  async function giveUp(path: string): Promise<string> {
    await answer(path, 500);
    const fields = { url: receiver.url(path), secret: 'generate', events: ['event.recorded'] };
    const { id = '' } = await call('POST', '/v1/webhooks', fields);
    const { key = '' } = await call('POST', '/v1/keys', { kind: 'live' });
    const event = { installId: scene.installs.matched, eventName: 'level' };
    const sent = await fetch(`${scene.url}/v1/sdk/event`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    assert.equal(sent.status, 201, await sent.text());
    await waitFor('the message to be given up', async () => {
      const webhooks = (await call('GET', '/v1/webhooks')) as unknown as {
        id: string;
        health: { failed24h: number };
      }[];
      return webhooks.find((webhook) => webhook.id === id)?.health.failed24h === 1 ? true : undefined;
    });
    return id;
  }

  async function makeInPage(page: Page, path: string): Promise<void> {
    await press(page, 'New webhook');
    await until(page, 'document.querySelector("[name=url]")');
    await write(page, 'url', receiver.url(path));
    await press(page, 'Make webhook');
  }

  it('a secret is made where none is given, shown once, and not there after a reload', async () => {
    const page = await visit('webhooks');
    await makeInPage(page, '/made');
    await until(page, shows('whsec_'));
    await assertSound(page, DEVICES.desktop, 'webhook-secret');
    await press(page, 'Done');
    await until(page, `!${shows('whsec_')}`);
    await page.goto(`${scene.url}/console/${scene.appId}/webhooks`);
    await until(page, shows('/made'));
    assert.equal(await page.evaluate(shows('whsec_')), false);
  });

  it('what was given up is counted first and then sent again; a pause and the results are shown', async () => {
    const id = await giveUp('/down');
    const page = await visit('webhooks');
    await until(page, shows('given up in 24 hours'));
    await answer('/down', 200);
    await page.evaluate(`[...document.querySelectorAll('li')].find((each) => each.innerText.includes('/down'))
      .querySelectorAll('button')[3].click()`);
    await until(page, shows('1 message of this time was given up'));
    await assertSound(page, DEVICES.desktop, 'webhook-recovery');
    await press(page, 'Send 1 message again');
    await until(page, `!document.querySelector('[role=dialog]')`);
    await until(page, shows('Last arrived'));

    await answer('/down', 429, { 'retry-after': '600' });
    await assert.rejects(call('POST', `/v1/webhooks/${id}/test`), /502/);
    await page.goto(`${scene.url}/console/${scene.appId}/webhooks`);
    await until(page, shows('as the receiver asked'));
    await assertSound(await visit('webhooks', NARROW), NARROW, 'webhooks-paused');
    await call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  });

  it('a failed delivery shows the answer of its receiver; sent again by R, it is seen to arrive', async () => {
    const id = await giveUp('/again');
    const page = await visit(`webhooks?tab=deliveries&webhookId=${id}`);
    await until(page, shows('3 of 3, given up'));
    await page.evaluate('document.querySelector("ol a").click()');
    await until(page, `${shows('The receiver answered 500.')} && ${shows('thanks')}`);
    await answer('/again', 200);
    await new Keyboard(page).press('r');
    await until(page, `${shows('4 attempts')} && !${shows('given up')}`);
  });
});
