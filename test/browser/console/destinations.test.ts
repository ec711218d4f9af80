/** The console's destinations, against the real program and a stand-in of Segment. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../../helpers/console-pages.ts';
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
import { StandInSegment } from '../../helpers/stand-in-segment.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { RECEIVER_ENV } from '../../helpers/webhook-receiver.ts';

const browser = await useBrowser();
const hasValue = (text: string) =>
  `[...document.querySelectorAll('input, textarea')].some((each) => each.value.includes(${JSON.stringify(text)}))`;

describe('destinations in the console', { skip: browser.missing }, () => {
  const segment = new StandInSegment();
  let scene: ConsoleScene;
  let cookie: string;
  /** Of the first two tests, and a destination whose first batch was refused. */
  let page: Page;
  let refused = '';
  before(async () => {
    await segment.open();
    scene = await openConsoleScene('sqlite', '', RECEIVER_ENV);
    cookie = await signInFirst(scene);
  });
  after(async () => {
    await scene?.end();
    await segment.close();
  });

  const at = (path: string) => `${scene.url}/console/${scene.appId}/${path}`;
  const ask = <T = Record<string, string>>(method: string, path: string, body?: object) =>
    askAsUser<T>(scene, cookie, { method, path, body });
  async function makeRefused(): Promise<string> {
    const config = { writeKey: segment.writeKey, baseUrl: segment.baseUrl };
    const fields = { type: 'segment', name: 'Refused', events: ['event'], config };
    const { id = '' } = await ask('POST', '/v1/destinations', fields);
    segment.next.push({ status: 400, body: { success: false, message: 'no such thing' } });
    await record('refused');
    return id;
  }
  /** The page looks every 3 s; the tests do not wait for that. */
  const untilSent = (attempts: number) =>
    waitFor(`${attempts} attempts`, async () => {
      const sent = await ask<object[]>('GET', `/v1/destinations/${refused}/deliveries`);
      return sent.length === attempts || undefined;
    });
  async function record(eventName: string): Promise<void> {
    const { key = '' } = await ask('POST', '/v1/keys', { kind: 'live' });
    await sendEvent(scene, key, eventName);
  }
  const seesNo = async (page: Page, secret: string) =>
    assert.equal(await page.evaluate(`${shows(secret)} || ${hasValue(secret)}`), false);

  it('one is made from what its type needs; its secret is not shown again, and stays unless it is replaced', async () => {
    page = await visitConsole(browser, { url: at('destinations'), cookie });
    await until(page, shows('No destinations yet'));
    refused = await makeRefused();
    await page.evaluate(
      `[...document.querySelectorAll('a')].find((each) => each.innerText === 'New destination').click()`,
    );
    await until(page, shows('Needs Write key'));
    await page.evaluate(
      `[...document.querySelectorAll('main a')].find((each) => each.innerText.startsWith('Segment')).click()`,
    );
    await until(page, 'document.querySelector(\'[name="config.writeKey"]\')');
    await write(page, 'name', 'Our Segment');
    await write(page, '"config.writeKey"', 'two:parts');
    await press(page, 'Make destination');
    await until(
      page,
      `document.querySelector('[name="config.writeKey"]').getAttribute('aria-invalid') === 'true'`,
    );
    await write(page, '"config.writeKey"', segment.writeKey);
    await page.evaluate(`document.querySelector('details').open = true`);
    await write(page, '"config.baseUrl"', segment.baseUrl);
    // The refusal is for the other destination.
    await untilSent(1);
    await press(page, 'Make destination');
    await until(
      page,
      `document.querySelector('h1').innerText === 'Our Segment' && ${shows('Nothing sent yet')}`,
    );
    await seesNo(page, segment.writeKey);
    const [made] = await ask<{ id: string; config: object; events: string[] }[]>('GET', '/v1/destinations');
    assert.deepEqual([made?.config, made?.events], [{ region: 'us', baseUrl: segment.baseUrl }, []]);

    await goOn(page, at(`destinations/${made?.id}/edit`));
    await until(page, shows('Set, and not shown again.'));
    await seesNo(page, segment.writeKey);
    await assertSound(page, DEVICES.desktop, 'destination-edit');
    await page.evaluate(`document.querySelector('[name=consent][value=any]').click()`);
    await press(page, 'Save');
    await until(page, shows('whatever the consent'));
    await until(page, shows('/v1/batch'));
    await press(page, 'Send it as a test');
    await until(page, shows('The test was accepted.'));
    assert.equal(segment.dropped.length, 0, 'the secret is that of the beginning');
  });

  it('a preview has the exact request of a real record without its secrets, or why none would be sent; the log says what became of records, and why; what was refused is sent again', async () => {
    await goOn(page, at(`destinations/${refused}`));
    await until(page, `${shows('/v1/batch')} && ${shows('authorization: ')} && ${shows('"type": "track"')}`);
    await seesNo(page, Buffer.from(`${segment.writeKey}:`).toString('base64'));
    await until(page, shows('1 refused'));
    await page.evaluate('document.querySelector("ol details").open = true');
    await until(page, shows('no such thing'));
    await assertSound(page, DEVICES.desktop, 'destination');
    segment.next.push({ status: 400, body: { success: false, message: 'malformed JSON' } });
    await press(page, 'Send it as a test');
    await until(page, `${shows('The test was not accepted.')} && ${shows('malformed JSON')}`);
    await page.evaluate(`{
      const select = [...document.querySelectorAll('select')].at(-1);
      const install = [...select.options].find((each) => each.text.startsWith('Install'));
      Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, install.value);
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await until(page, `${shows('It would not be sent')} && ${shows('does not take this record')}`);
    await press(page, 'Recover since');
    await until(page, shows('1 message did not arrive'));
    const { length } = await ask<object[]>('GET', `/v1/destinations/${refused}/deliveries`);
    await press(page, 'Send 1 message again');
    await untilSent(length + 1);
    await goOn(page, at(`destinations/${refused}`));
    await until(page, `${shows('1 record accepted.')} && ${shows('Delivering.')}`);
  });

  it('on a phone and in the dark everything fits; a viewer sees no address, changes nothing and previews nothing', async () => {
    await ask('PATCH', `/v1/destinations/${refused}`, { enabled: false });
    const setting = { colorScheme: 'dark' } as const;
    const narrow = await visitConsole(browser, { url: at('destinations'), cookie, device: NARROW, setting });
    await until(narrow, shows('Off: nothing is sent.'));
    await assertSound(narrow, NARROW, 'destinations-narrow');
    for (const path of ['new', 'new?type=segment', refused]) {
      await goOn(narrow, at(`destinations/${path}`));
      await assertSound(narrow, NARROW, `destination-narrow-${path.replaceAll(/[^a-z]/g, '')}`);
    }
    const invitation = { email: 'viewer@shop.example', role: 'viewer' };
    const { url = '' } = await ask('POST', '/v1/invitations', invitation);
    const joined = await fetch(`${scene.url}/v1/invitations/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        token: new URL(url).hash.slice(1),
        name: 'Viewer',
        password: 'correct horse battery',
      }),
    });
    const viewer = joined.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    await narrow.evaluate(`document.cookie = ${JSON.stringify(`${viewer}; path=/`)}`);
    await goOn(narrow, at(`destinations/${refused}`));
    await until(narrow, shows('Off: nothing is sent.'));
    for (const text of ['Switch on', 'Delete', 'What is sent', segment.writeKey, 'no such thing'])
      assert.equal(await narrow.evaluate(shows(text)), false, text);
    await goOn(narrow, at(`destinations/${refused}/edit`));
    await until(narrow, shows('Your role does not include this'));
  });
});
