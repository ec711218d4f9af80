/** What ad networks tell the phone, by the module for ads, and the name of the process that it knows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ASYNC_STORAGE, asyncStorage, createClient, LINK, library, newPhone } from './host.ts';

const { StandardEvent } = library;

const ADS = '@throughline/react-native-ads';
const META = {
  installReferrer: '{"utm_content":"a"}',
  isClickThrough: true,
  actualTimestampSeconds: 1_700_000_000,
};

/** The native module of an app, and the conversion values that it handed to Apple. */
function adsModule(change: object = {}) {
  const values: unknown[] = [];
  const module = {
    launchId: () => 'process-1',
    readAppleAdsToken: async () => 'token',
    setConversionValue: async (...value: unknown[]) => void values.push(value),
    readMetaReferrer: async (appId: string) => ({ ...META, installReferrer: appId }),
    ...change,
  };
  return { values, module: { default: module } };
}

const withAds = (os: string, module: object) => newPhone({ os, installed: new Map([[ADS, module]]) });

async function install(config: object = {}): Promise<Record<string, unknown>> {
  const installs: Record<string, unknown>[] = [];
  await createClient({ installs, config }).firstOpen();
  return installs[0] ?? {};
}

// Of missing modules.
mock.method(console, 'warn', () => {});
beforeEach(() => newPhone());

describe('the module for ads', () => {
  it('brings Apple’s token into the install of an iPhone, which knows no referrer of Meta', async () => {
    withAds('ios', adsModule().module);
    const { appleAdsToken, metaReferrer } = await install({ facebookAppId: '17' });
    assert.deepEqual([appleAdsToken, metaReferrer], ['token', undefined]);
  });

  it('brings Meta’s referrer into the install of an Android phone whose app is named, and no token', async () => {
    withAds('android', adsModule().module);
    const { appleAdsToken, metaReferrer } = await install({ facebookAppId: '17' });
    assert.deepEqual([appleAdsToken, metaReferrer], [undefined, { ...META, installReferrer: '17' }]);
    assert.equal((await install()).metaReferrer, undefined, 'without the ID of the app');
  });

  it('hands an iPhone’s conversion values to Apple by the app’s schema, and takes none elsewhere', async () => {
    const coarse = { low: null, medium: 'purchase', high: null };
    const range = { from: 20, to: 29, eventName: 'purchase', minRevenue: null, lock: false };
    const windows = [
      { fine: [range], coarse },
      { fine: [], coarse },
      { fine: [], coarse },
    ];
    for (const [os, expected] of [
      [
        'ios',
        [
          [0, 'low', false],
          [20, 'medium', false],
        ],
      ],
      ['android', []],
    ] as const) {
      const { values, module } = adsModule();
      withAds(os, module);
      const client = createClient({ windows });
      await client.firstOpen();
      await wait(50);
      client.track(StandardEvent.purchase({ revenue: { amount: '5', currency: 'EUR' } }));
      await wait(50);
      assert.deepEqual(values, expected, os);
      await client.shutdown();
    }
  });

  it('that fails, or lacks its native half, delays no install', async () => {
    const refuse = async () => {
      throw new Error('A simulator has no token');
    };
    for (const module of [adsModule({ readAppleAdsToken: refuse }).module, { default: null }]) {
      withAds('ios', module);
      const sent = await install();
      assert.deepEqual([sent.appleAdsToken, typeof sent.installId], [undefined, 'string']);
    }
  });

  it('is named in the log if the app is named at Meta and the module is missing', async () => {
    for (const [os, count] of [
      ['android', 1],
      ['ios', 0],
    ] as const) {
      newPhone({ os });
      const log: string[] = [];
      createClient({ log, config: { facebookAppId: '17' } });
      assert.equal(
        log.filter((text) => text.includes(`${ADS} is not installed: facebookAppId`)).length,
        count,
      );
    }
  });
});

describe('the link that started the app', () => {
  /** Starts of the JavaScript with these modules, in turn. @returns the opens that they recorded. */
  async function opensOf(os: string, starts: readonly [string, object][]): Promise<number> {
    const opens: Record<string, unknown>[] = [];
    const storage = asyncStorage();
    for (const module of starts) {
      const installed = new Map([[ASYNC_STORAGE, storage], module]);
      newPhone({ os, initialUrl: LINK, installed });
      const client = createClient({ opens });
      await client.start();
      await wait(30);
      await client.flush();
      await client.shutdown();
    }
    return new Set(opens.map(({ openId }) => openId)).size;
  }
  const ads = (launchId: string): [string, object] => [ADS, adsModule({ launchId: () => launchId }).module];
  const deviceInfo = (startedAtMs: number): [string, object] => [
    'react-native-device-info',
    { default: { getStartupTimeSync: () => startedAtMs, getDeviceId: () => 'a', getVersion: () => '1' } },
  ];

  for (const os of ['ios', 'android'])
    it(`counts once over a reload of the JavaScript, and again in a new process, on ${os}`, async () => {
      assert.equal(await opensOf(os, [ads('a'), ads('a')]), 1);
      assert.equal(await opensOf(os, [ads('a'), ads('b')]), 2);
    });

  it('counts so on an iPhone by react-native-device-info, which knows when the process started', async () => {
    assert.equal(await opensOf('ios', [deviceInfo(1_000), deviceInfo(1_000)]), 1);
    assert.equal(await opensOf('ios', [deviceInfo(1_000), deviceInfo(2_000)]), 2);
  });
});

it('the install names this package and its version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { sdkVersion } = (await install()).fingerprint as { sdkVersion: string };
  assert.equal(sdkVersion, `throughline-react-native/${version}`);
});
