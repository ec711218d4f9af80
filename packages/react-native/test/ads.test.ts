/** What ad networks tell the phone, by the module for ads, and the name of the process that it knows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, it, mock } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, LINK, newPhone } from './host.ts';

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
    const { appleAdsToken, metaReferrer } = await install({ metaAppId: '17' });
    assert.deepEqual([appleAdsToken, metaReferrer], ['token', undefined]);
  });

  it('brings Meta’s referrer into the install of an Android phone whose app is named, and no token', async () => {
    withAds('android', adsModule().module);
    const { appleAdsToken, metaReferrer } = await install({ metaAppId: '17' });
    assert.deepEqual([appleAdsToken, metaReferrer], [undefined, { ...META, installReferrer: '17' }]);
    assert.equal((await install()).metaReferrer, undefined, 'without the ID of the app');
  });

  it('hands conversion values of an iPhone to Apple, and takes none elsewhere', async () => {
    const { adPortsOf } = await import('../src/ads.ts');
    const { findModules } = await import('../src/modules.ts');
    const { values, module } = adsModule();
    withAds('ios', module);
    const { conversion } = adPortsOf(findModules(), undefined);
    await conversion?.({ fine: 20, coarse: 'medium', lock: false });
    await conversion?.({ fine: 0, coarse: null, lock: true });
    assert.deepEqual(values, [
      [20, 'medium', false],
      [0, null, true],
    ]);
    withAds('android', module);
    assert.equal(adPortsOf(findModules(), undefined).conversion, undefined);
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
      createClient({ log, config: { metaAppId: '17' } });
      assert.equal(log.filter((text) => text.includes(`${ADS} is not installed: metaAppId`)).length, count);
    }
  });
});

describe('the link that started the app', () => {
  const storage = () => {
    const stored = new Map<string, string>();
    return {
      default: {
        getItem: async (key: string) => stored.get(key) ?? null,
        setItem: async (key: string, value: string) => void stored.set(key, value),
        removeItem: async (key: string) => void stored.delete(key),
        getAllKeys: async () => [...stored.keys()],
      },
    };
  };
  /** Starts of the JavaScript with these modules, in turn. @returns the opens that they recorded. */
  async function opensOf(os: string, starts: readonly [string, object][]): Promise<number> {
    const opens: Record<string, unknown>[] = [];
    const asyncStorage = storage();
    for (const module of starts) {
      const installed = new Map([['@react-native-async-storage/async-storage', asyncStorage], module]);
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
