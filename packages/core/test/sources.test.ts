/** What goes with an install and an event from the outside: times of taps, networks' tokens, standard events. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { StandardEvent } from '../src/index.ts';
import { endClients, Phone, settle } from './phone.ts';

after(endClients);

const referrer = async () => ({
  installReferrer: 'svc_click_id=1',
  clickedAt: '2026-11-25T08:00:00.900Z',
  serverClickedAt: '2026-11-25T08:00:01Z',
});
const metaReferrer = async () => ({ installReferrer: 'utm_source=apps.facebook.com' });
const appleAdsToken = async () => 'apple-token';

async function installOf(...[config, ports]: Parameters<Phone['launch']>) {
  const phone = new Phone();
  await phone.launch(config, ports).firstOpen();
  const [install] = phone.service.installs.values();
  return { install, log: phone.log.map(({ message }) => message) };
}

describe('an install', () => {
  it('has the times of the tap in seconds, Meta’s referrer with all its fields, and Apple’s token', async () => {
    for (const consent of ['granted', 'deterministic-only'] as const) {
      const { install } = await installOf({ consent }, { referrer, metaReferrer, appleAdsToken });
      assert.equal(install?.referrerClickTimestampSeconds, Date.UTC(2026, 10, 25, 8) / 1_000);
      assert.equal(install?.referrerClickTimestampServerSeconds, Date.UTC(2026, 10, 25, 8) / 1_000 + 1);
      const [isClickThrough, actualTimestampSeconds] = [null, null];
      const installReferrer = 'utm_source=apps.facebook.com';
      assert.deepEqual(install?.metaReferrer, { installReferrer, isClickThrough, actualTimestampSeconds });
      assert.equal(install?.appleAdsToken, 'apple-token');
    }
  });

  it('goes without what a port gives that the service would refuse', async () => {
    const { install, log } = await installOf(
      {},
      {
        metaReferrer: async () => ({ installReferrer: 'x'.repeat(8_193) }),
        appleAdsToken: async () => 'x'.repeat(4_097),
      },
    );
    assert.ok(install);
    assert.deepEqual([install.metaReferrer, install.appleAdsToken], [undefined, undefined]);
    assert.equal(log.filter((message) => message.startsWith('The install goes without it')).length, 2);
    const oddFields = { isClickThrough: 'yes' as never, actualTimestampSeconds: 1.5 };
    const odd = await installOf(
      {},
      { metaReferrer: async () => ({ ...(await metaReferrer()), ...oddFields }) },
    );
    assert.deepEqual(odd.install?.metaReferrer, {
      installReferrer: 'utm_source=apps.facebook.com',
      isClickThrough: null,
      actualTimestampSeconds: null,
    });
  });

  it('goes without a referrer of the store or a text of the device that the service would refuse', async () => {
    for (const text of ['x'.repeat(16_385), 'svc\0', 'half \ud800', 7 as never]) {
      const { install, log } = await installOf(
        {},
        { referrer: async () => ({ ...(await referrer()), installReferrer: text }) },
      );
      assert.ok(install);
      assert.equal(install.installReferrer, undefined);
      assert.equal(install.referrerClickTimestampSeconds, Date.UTC(2026, 10, 25, 8) / 1_000);
      assert.equal(log.filter((message) => message.includes('the referrer of the store')).length, 1);
    }
    const odd = {
      ...{ platform: 'ANDROID' as const, deviceModel: 'Pixel 9', locale: '', userAgent: 'x'.repeat(2_000) },
      ...{ appVersion: '4.2\0', osVersion: 'x'.repeat(1_025), timezone: 5 as never },
      ...{ screenWidth: 1_080, screenHeight: '9' as never, screenDensity: Number.NaN },
    };
    const { install, log } = await installOf({}, { device: async () => odd });
    const kept = { deviceModel: 'Pixel 9', locale: '', userAgent: odd.userAgent, screenWidth: 1_080 };
    const sdkVersion = 'throughline-core/0.1.0';
    assert.deepEqual(install?.fingerprint, { ...kept, platform: 'ANDROID', sdkVersion });
    assert.equal(log.filter((message) => message.startsWith('The device is told without it')).length, 5);
  });

  it('arrives from a phone whose ports answer nothing', async () => {
    const nothing = async () => undefined as never;
    const ports = { device: nothing, referrer: nothing, metaReferrer: nothing, appleAdsToken: nothing };
    const { install } = await installOf({}, { ...ports, clipboard: nothing, isExistingUser: nothing });
    assert.deepEqual(install?.fingerprint, { platform: 'IOS', sdkVersion: 'throughline-core/0.1.0' });
  });

  it('names a package around the client in its sdkVersion', async () => {
    const { install } = await installOf({}, { sdk: 'throughline-react-native/0.1.0' });
    const sent = { platform: 'ANDROID', deviceModel: 'Pixel 9', osVersion: '16' };
    assert.deepEqual(install?.fingerprint, { ...sent, sdkVersion: 'throughline-react-native/0.1.0' });
  });
});

describe('a standard event', () => {
  it('has its name, its fields in snake case and its revenue', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const revenue = { amount: '19.99', currency: 'EUR', transactionId: 'order-1' };
    client.track(StandardEvent.purchase({ revenue, itemId: 'shoes-42', itemName: undefined, quantity: 2 }));
    client.track(StandardEvent.tutorialComplete());
    await client.firstOpen();
    await client.flush();
    await settle();
    const [purchase, tutorial] = phone.service.events;
    assert.equal(purchase?.eventName, 'purchase');
    assert.deepEqual(purchase?.properties, { item_id: 'shoes-42', quantity: 2 });
    assert.deepEqual(purchase?.revenue, { amount: '19.99', currency: 'EUR' });
    assert.equal(purchase?.transactionId, 'order-1');
    assert.deepEqual([tutorial?.eventName, tutorial?.properties], ['tutorial_complete', undefined]);
  });

  it('without the revenue that it needs is refused, and the log says what it lacks', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const purchase = StandardEvent.purchase as (fields?: unknown) => StandardEvent;
    const wrong = [
      undefined,
      null,
      {},
      { revenue: null },
      { revenue: '' },
      { revenue: '19.99' },
      { revenu: {} },
    ];
    for (const fields of wrong) client.track(purchase(fields));
    await client.shutdown();
    const refused = phone.log.filter(({ level }) => level === 'error').map(({ message }) => message);
    assert.equal(refused.length, 2, 'one line, and one with the count of the others');
    assert.match(
      `${refused}`,
      /“purchase” was not tracked: revenue\.amount must be .* \(6 more of this kind\)$/,
    );
    const named = phone.log.filter(({ message }) =>
      message.includes('“purchase” has no field revenu, only '),
    );
    assert.equal(named.length, 1);
  });

  it('with a field that it does not have, or with more arguments of track, is tracked, and the log names them', async () => {
    const phone = new Phone();
    const client = phone.launch();
    const told = () => phone.log.splice(0).map(({ message }) => message);
    const track = client.track as (...args: unknown[]) => void;
    client.track(StandardEvent.viewItem({ itemID: 'shoes-42', itemName: 'Shoes', revenue: null } as object));
    assert.deepEqual(told(), [
      '“view_item” has no field itemID, only itemId, itemName, category, contentType, value, currency',
    ]);
    client.track(StandardEvent.tutorialComplete({ steps: 3, level: 1 } as never));
    assert.deepEqual(told(), ['“tutorial_complete” has no field steps, level']);
    track(StandardEvent.login(), { method: 'email' }, { amount: '1', currency: 'EUR' });
    assert.match(`${told()}`, /^“login”: .* StandardEvent/);
    const revenue = { amount: '1', currency: 'EUR', transaction_id: 'order-1' };
    client.track(StandardEvent.subscribe({ revenue }));
    assert.deepEqual(told(), [
      '“subscribe” has no field revenue.transaction_id, only revenue, itemId, itemName',
    ]);
    track(StandardEvent.share({ method: 'email' }), undefined);
    assert.deepEqual(told(), []);
    await client.flush();
    assert.deepEqual(
      phone.service.events.map(({ eventName, properties }) => [eventName, properties]),
      [
        ['view_item', { item_i_d: 'shoes-42', item_name: 'Shoes' }],
        ['tutorial_complete', { steps: 3, level: 1 }],
        ['login', undefined],
        ['subscribe', undefined],
        ['share', { method: 'email' }],
      ],
    );
  });

  it('that no function made is refused like any other that the service would not take', () => {
    const phone = new Phone();
    const client = phone.launch();
    for (const event of [null, {}, { name: '' }] as never[]) client.track(event);
    assert.equal(phone.log.filter(({ message }) => message.includes('was not tracked')).length, 3);
    assert.equal(phone.service.events.length, 0);
  });
});
