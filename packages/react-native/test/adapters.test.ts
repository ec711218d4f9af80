import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { changeState, createClient, LINK, library, MADE, newPhone, phone, receiveUrl } from './host.ts';

const ASYNC_STORAGE = '@react-native-async-storage/async-storage';

function asyncStorage(stored = new Map<string, string>()) {
  return {
    default: {
      getItem: async (key: string) => stored.get(key) ?? null,
      setItem: async (key: string, value: string) => void stored.set(key, value),
      removeItem: async (key: string) => void stored.delete(key),
      getAllKeys: async () => [...stored.keys()],
    },
  };
}

const application = (installedAt: number | Error = 1_000, updatedAt = Number(installedAt)) => ({
  nativeApplicationVersion: '4.2.0',
  getInstallReferrerAsync: async () => 'svc_click_id=expo',
  getInstallationTimeAsync: async () => {
    if (typeof installedAt !== 'number') throw installedAt;
    return new Date(installedAt);
  },
  getLastUpdateTimeAsync: async () => new Date(updatedAt),
});
const DEVICE_INFO = {
  default: {
    getDeviceId: () => 'iPhone15,2',
    getVersion: () => '4.2.0',
    getFirstInstallTime: async () => 1_000,
    getLastUpdateTime: async () => 1_000,
  },
};
const LOCALIZATION = {
  getLocales: () => [{ languageTag: 'de-CH' }],
  getCalendars: () => [{ timeZone: 'Europe/Zurich' }],
};
const IPHONE = { os: 'ios', version: '26.1' };
const PIXEL = {
  ...{ os: 'android', version: 36, constants: { Release: '16', Model: 'Pixel 9', Version: 36 } },
  ...{ screen: { width: 411.43, height: 914.29 }, pixelRatio: 2.625 },
};

async function install(): Promise<Record<string, unknown>> {
  const installs: Record<string, unknown>[] = [];
  await createClient({ installs }).firstOpen();
  assert.equal(installs.length, 1);
  return installs[0] ?? {};
}

const fingerprint = async () => {
  const { sdkVersion, ...rest } = (await install()).fingerprint as Record<string, unknown>;
  return rest;
};

beforeEach(() => newPhone());

describe('the fingerprint', () => {
  const iphone = {
    ...{ platform: 'IOS', osVersion: '26.1', deviceModel: 'iPhone15,2', appVersion: '4.2.0' },
    ...{ screenWidth: 1179, screenHeight: 2556, screenDensity: 3 },
    ...{ locale: 'de-CH', timezone: 'Europe/Zurich' },
  };
  it('of an iPhone is complete with the modules of Expo, in physical pixels', async () => {
    newPhone({
      ...IPHONE,
      installed: new Map<string, object>([
        ['expo-application', application()],
        ['expo-device', { modelId: 'iPhone15,2' }],
        ['expo-localization', LOCALIZATION],
      ]),
    });
    assert.deepEqual(await fingerprint(), iphone);
  });

  it('of an iPhone is the same with react-native-device-info, but for the language of the phone', async () => {
    newPhone({ ...IPHONE, installed: new Map([['react-native-device-info', DEVICE_INFO]]) });
    const { locale, timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    assert.deepEqual(await fingerprint(), { ...iphone, locale, timezone });
  });

  it('of an Android phone has model, version and physical pixels without any module', async () => {
    newPhone(PIXEL);
    const { locale, timezone, ...rest } = await fingerprint();
    assert.deepEqual(rest, {
      ...{ platform: 'ANDROID', osVersion: '16', deviceModel: 'Pixel 9' },
      ...{ screenWidth: 1080, screenHeight: 2400, screenDensity: 2.625 },
    });
  });

  it('leaves out what a module that is not built into the app cannot tell', async () => {
    const broken = {
      getLocales: () => {
        throw new Error('ExpoLocalization is not linked');
      },
    };
    newPhone({ ...IPHONE, installed: new Map([['expo-localization', broken]]) });
    const { locale, osVersion } = await fingerprint();
    assert.deepEqual([locale, osVersion], [undefined, '26.1']);
  });
});

describe('a browser', () => {
  const MAC =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15';
  const LINUX =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
  const WINDOWS = LINUX.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64');

  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? {};
  const setNavigator = (value: object | undefined) =>
    Object.defineProperty(globalThis, 'navigator', { value, configurable: true });
  afterEach(() => {
    Object.defineProperty(globalThis, 'navigator', before);
  });

  function setBrowser(userAgent: string, maxTouchPoints: number, isCoarse = false): void {
    newPhone({ os: 'web' });
    setNavigator({ userAgent, maxTouchPoints });
    Object.assign(globalThis, { matchMedia: () => ({ matches: isCoarse }) });
  }

  it('of a phone or a tablet is what it says, also where it says that it is a computer', async () => {
    for (const [platform, userAgent, isCoarse] of [
      ['IOS', MAC.replace('Macintosh; Intel', 'iPhone; CPU iPhone OS 18_6 like'), false],
      ['IOS', MAC, false],
      ['ANDROID', LINUX.replace('X11; Linux x86_64', 'Linux; Android 10; K'), true],
      ['ANDROID', LINUX, true],
    ] as const) {
      setBrowser(userAgent, 5, isCoarse);
      assert.equal((await fingerprint()).platform, platform, userAgent);
      await library.shareLink(createClient(), { deepLinkPath: '/a' }, { message: 'Join me:' });
      assert.deepEqual(phone.shared[0]?.content, { url: MADE.shortUrl, message: 'Join me:' });
    }
  });

  const recordsNothing = async () => {
    const [installs, opens, log]: [Record<string, unknown>[], Record<string, unknown>[], string[]] = [
      [],
      [],
      [],
    ];
    const stored = new Map([['throughline.state', JSON.stringify({ consent: 'granted' })]]);
    phone.installed.set(ASYNC_STORAGE, asyncStorage(stored));
    const ports = { storage: asyncStorage(stored).default };
    const client = createClient({ installs, opens, log, ports, config: { consent: 'granted' } });
    await client.start();
    await client.setConsent('granted');
    client.track('bought');
    assert.equal((await client.handleUrl(LINK))?.path, '/shoes/42');
    await client.flush();
    assert.equal((await client.firstOpen()).pending, true);
    assert.deepEqual([installs, opens], [[], []]);
    assert.equal(log.length, 1, log.join());
    assert.match(`${log}`, /computer/);
    assert.match((await client.explain()).reason, /computer/);
    await assert.rejects(client.setConsent('yes' as 'granted'), TypeError);
  };

  it('of a computer, and an app for one, resolve links and record nothing, which the log and explain say', async () => {
    for (const [userAgent, touches] of [
      [MAC, 0],
      [WINDOWS, 10],
      [LINUX, 10],
      [LINUX, 0],
    ] as const) {
      setBrowser(userAgent, touches);
      await recordsNothing();
    }
    for (const os of ['macos', 'windows']) {
      newPhone({ os });
      await recordsNothing();
    }
  });

  it('is no phone where a server renders the page', async () => {
    newPhone({ os: 'web' });
    setNavigator(undefined);
    await recordsNothing();
  });
});

describe('the referrer of Google Play', () => {
  const play = (info: object | null, error: object | null) => ({
    PlayInstallReferrer: {
      getInstallReferrerInfo: (done: (i: unknown, e: unknown) => void) => done(info, error),
    },
  });
  const info = {
    ...{ installReferrer: 'svc_click_id=play', referrerClickTimestampSeconds: 1_700_000_000 },
    referrerClickTimestampServerSeconds: 1_699_999_990,
    // Version 1 gives texts.
    ...{ installBeginTimestampSeconds: '1700000060', installBeginTimestampServerSeconds: 1_700_000_055 },
  };

  it('goes with the times of the tap and of the install, by both clocks', async () => {
    newPhone({
      ...PIXEL,
      installed: new Map<string, object>([
        ['react-native-play-install-referrer', play(info, null)],
        ['expo-application', application()],
      ]),
    });
    const { fingerprint: _, ...sent } = await install();
    assert.deepEqual(
      Object.fromEntries(Object.entries(sent).filter(([name]) => /eferrer|Timestamp/.test(name))),
      {
        ...{ installReferrer: 'svc_click_id=play' },
        ...{
          referrerClickTimestampSeconds: 1_700_000_000,
          referrerClickTimestampServerSeconds: 1_699_999_990,
        },
        ...{ installBeginTimestampSeconds: 1_700_000_060, installBeginTimestampServerSeconds: 1_700_000_055 },
      },
    );
  });

  it('comes from expo-application without the other module', async () => {
    newPhone({ ...PIXEL, installed: new Map([['expo-application', application()]]) });
    const { installReferrer, installBeginTimestampSeconds } = await install();
    assert.deepEqual([installReferrer, installBeginTimestampSeconds], ['svc_click_id=expo', undefined]);
  });

  it('that cannot be read, or on an iPhone, delays no install', async () => {
    const failing = play(null, { message: 'FEATURE_NOT_SUPPORTED' });
    for (const system of [PIXEL, IPHONE]) {
      newPhone({ ...system, installed: new Map([['react-native-play-install-referrer', failing]]) });
      assert.equal((await install()).installReferrer, undefined);
    }
    let reads = 0;
    const counting = { PlayInstallReferrer: { getInstallReferrerInfo: () => reads++ } };
    newPhone({ ...IPHONE, installed: new Map([['react-native-play-install-referrer', counting]]) });
    await install();
    assert.equal(reads, 0, 'an iPhone has no Google Play');
  });
});

describe('an existing user', () => {
  const told = async (modules: readonly [string, object][], system: object = PIXEL, ports: object = {}) => {
    newPhone({ ...system, installed: new Map<string, object>(modules) });
    const installs: Record<string, unknown>[] = [];
    await createClient({ installs, ports }).firstOpen();
    return installs[0]?.existingUser;
  };
  const deviceInfo = (installedAt: number, updatedAt: number) => ({
    default: {
      ...DEVICE_INFO.default,
      getFirstInstallTime: async () => installedAt,
      getLastUpdateTime: async () => updatedAt,
    },
  });

  it('is one whose app Android has updated since its installation, with either module', async () => {
    assert.equal(await told([['expo-application', application(1_000, 2_000)]]), true);
    assert.equal(await told([['react-native-device-info', deviceInfo(1_000, 2_000)]]), true);
  });

  it('is nobody who opens the installed version, however late, nor where the times are unknown', async () => {
    for (const modules of [
      [['expo-application', application(1_000)]],
      [['react-native-device-info', deviceInfo(1_000, 1_000)]],
      [['react-native-device-info', deviceInfo(-1, 2_000)]],
      [['expo-application', application(new Error('away'), 2_000)]],
      [],
    ] as [string, object][][])
      assert.equal(await told(modules), undefined);
  });

  it('on an iPhone, or by an own port, is whom the app says', async () => {
    const updated: [string, object] = ['expo-application', application(1_000, 2_000)];
    assert.equal(await told([updated], IPHONE), undefined);
    assert.equal(await told([], IPHONE, { isExistingUser: () => true }), true);
    assert.equal(await told([updated], PIXEL, { isExistingUser: async () => false }), undefined);
  });
});

describe('the storage', () => {
  const start = async (
    stored: Map<string, string>,
    modules: readonly [string, object][],
    system: object = PIXEL,
  ) => {
    newPhone({
      ...system,
      installed: new Map<string, object>([[ASYNC_STORAGE, asyncStorage(stored)], ...modules]),
    });
    const client = createClient();
    await client.firstOpen();
    return (await client.explain()).installId;
  };

  for (const [module, at] of [
    ['expo-application', application],
    [
      'react-native-device-info',
      (ms: number) => ({ default: { ...DEVICE_INFO.default, getFirstInstallTime: async () => ms } }),
    ],
  ] as const)
    it(`is erased at a reinstall whose data Android restored, and kept by an update, with ${module}`, async () => {
      const stored = new Map([['theirs', 'kept']]);
      const first = await start(stored, [[module, at(1_000)]]);
      assert.equal(await start(stored, [[module, at(1_000)]]), first, 'an update');
      const second = await start(stored, [[module, at(2_000)]]);
      assert.notEqual(second, first, 'a reinstall');
      assert.equal(await start(stored, [[module, at(2_000)]]), second);
      assert.equal(stored.get('theirs'), 'kept');
    });

  it('stays if the time of the install cannot be read, or is known for the first time', async () => {
    const stored = new Map<string, string>();
    const first = await start(stored, []);
    assert.equal(await start(stored, [['expo-application', application()]]), first);
    assert.equal(await start(stored, [['expo-application', application(new Error('away'))]]), first);
    assert.equal(await start(stored, [['expo-application', application(-1)]]), first);
    assert.equal(await start(stored, [['expo-application', application()]]), first);
  });

  for (const [name, system] of [
    ['Android', PIXEL],
    ['an iPhone', { ...PIXEL, ...IPHONE }],
  ] as const)
    it(`of one app on ${name} has one client: a second one says so, and does not disturb the first`, async () => {
      newPhone({ ...system, installed: new Map<string, object>([[ASYNC_STORAGE, asyncStorage()]]) });
      const first = createClient();
      await first.firstOpen();
      const { installId } = await first.explain();
      const log: string[] = [];
      const second = createClient({ log });
      await second.start();
      assert.match(log.join('\n'), /second client|another client/i);
      assert.equal((await first.explain()).installId, installId);
      await second.shutdown();
      await first.shutdown();
    });

  it('of an iPhone, which restores nothing, does not ask for the time', async () => {
    const stored = new Map<string, string>();
    const first = await start(stored, [['expo-application', application(1_000)]], { ...PIXEL, ...IPHONE });
    const other: [string, object] = ['expo-application', application(2_000)];
    assert.equal(await start(stored, [other], { ...PIXEL, ...IPHONE }), first);
  });
});

describe('Linking and AppState', () => {
  it('give the URL that started the app and later ones, and end at reset', async () => {
    newPhone({ initialUrl: LINK });
    const client = createClient();
    const links: (string | null)[] = [];
    client.onDeepLink(({ url }) => void links.push(url));
    await client.start();
    await new Promise((resolve) => setTimeout(resolve, 20));
    receiveUrl(`${LINK}2`);
    await client.flush();
    assert.deepEqual(links, [LINK, `${LINK}2`]);
    assert.deepEqual([phone.urlListeners.size, phone.stateListeners.size], [1, 1]);
    await client.reset();
    assert.deepEqual([phone.urlListeners.size, phone.stateListeners.size], [0, 0]);
  });

  it('send what waits when the app goes to the background and when it returns', async () => {
    const client = createClient();
    await client.firstOpen();
    for (const state of ['background', 'active', 'inactive']) {
      client.track(state);
      assert.equal((await client.explain()).queuedEvents, 1);
      changeState(state);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal((await client.explain()).queuedEvents, state === 'inactive' ? 1 : 0, state);
    }
    await client.flush();
  });
});

describe('a missing module', () => {
  const logOf = async (system: object, installed: Map<string, object> = new Map(), ports = {}) => {
    newPhone({ ...system, installed });
    const log: string[] = [];
    await createClient({ log, ports }).firstOpen();
    return log;
  };

  it('is named once with what it costs, on the systems where it costs something', async () => {
    const android = await logOf(PIXEL);
    const ios = await logOf(IPHONE);
    assert.deepEqual(android, [
      '@react-native-async-storage/async-storage is not installed: every start of the app counts as an install.',
      'Neither react-native-play-install-referrer nor expo-application is installed: installs from Google Play match by device data alone.',
      'Neither expo-application nor react-native-device-info is installed: installs lack the version of the app, a reinstall whose data Android restores is no new install, and people who had the app before this client count as new.',
      'expo-localization is not installed: the language is the app’s in place of the phone’s, so fewer installs match.',
    ]);
    assert.deepEqual(
      ios.map((text) => text.split(' is not installed')[0]?.replace(/ is installed.*/, '')),
      [
        '@react-native-async-storage/async-storage',
        'Neither expo-application nor react-native-device-info',
        'Neither expo-device nor react-native-device-info',
        'expo-localization',
        'expo-clipboard',
      ],
    );
  });

  it('is not named if it is installed, or if the app passes a port in its place', async () => {
    const modules = new Map<string, object>([
      [ASYNC_STORAGE, asyncStorage()],
      ['react-native-device-info', DEVICE_INFO],
      ['expo-localization', LOCALIZATION],
      ['expo-clipboard', {}],
    ]);
    assert.deepEqual(await logOf(IPHONE, modules), []);
    modules.delete(ASYNC_STORAGE);
    const storage = asyncStorage().default;
    assert.deepEqual(await logOf(PIXEL, modules, { storage, referrer: async () => null }), []);
  });
});
