import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DeviceReport,
  type PageReport,
  readUserAgent,
  type Signals,
  signalsOfClick,
  signalsOfDevice,
} from './index.ts';

const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const iphone = (version: string, rest: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${version} like Mac OS X) ${WEBKIT} ${rest}`;
const android = (system: string, rest: string) => `Mozilla/5.0 (Linux; ${system}) ${BLINK} ${rest}`;

const IPHONE: DeviceReport = {
  platform: 'IOS',
  osVersion: '26.1',
  deviceModel: 'iPhone15,2',
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
  locale: 'de_CH',
  timezone: 'Europe/Zurich',
};
const PIXEL: DeviceReport = {
  platform: 'ANDROID',
  osVersion: '16',
  deviceModel: 'Google Pixel 7',
  screenWidth: 1080,
  screenHeight: 2400,
  screenDensity: 2.625,
  locale: 'en_US',
  timezone: 'America/New_York',
};

const SAFARI_26 = iphone('18_6', 'Version/26.1 Mobile/15E148 Safari/604.1');
const INSTAGRAM_IOS = iphone(
  '18_7',
  'Mobile/23B85 Instagram 410.0.0.29.70 (iPhone15,2; iOS 26_1; de_CH; de; scale=3.00; 1179x2556; 812345678; IABMV/1)',
);
const FACEBOOK_IOS = iphone(
  '18_7',
  'Mobile/23B85 [FBAN/FBIOS;FBAV/540.0.0.30.110;FBBV/812345678;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/26.1;FBSS/3;FBCR/;FBID/phone;FBLC/de_CH;FBOP/80]',
);
const WEBVIEW = android(
  'Android 16; Pixel 7 Build/BP2A.250605.031; wv',
  'Version/4.0 Chrome/141.0.7390.122 Mobile Safari/537.36',
);
const INSTAGRAM_ANDROID = `${WEBVIEW} Instagram 410.0.0.29.70 Android (36/16; 420dpi; 1080x2400; Google/google; Pixel 7; panther; panther; en_US; 812345678; IABMV/1)`;
const FACEBOOK_ANDROID = `${WEBVIEW} [FB_IAB/FB4A;FBAV/540.0.0.30.70;IABMV/1;]`;
const CHROME = android('Android 10; K', 'Chrome/141.0.0.0 Mobile Safari/537.36');
const IPAD_AS_MAC = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.1 Safari/605.1.15`;

const CLIENT_HINTS = { model: 'Pixel 7', platformVersion: '16.0.0' };
const IPHONE_PAGE = { screenWidth: 393, screenHeight: 852, pixelRatio: 3, timezone: 'Europe/Zurich' };
/** Chrome rounds 411.43 by 914.29 up. */
const PIXEL_PAGE = { screenWidth: 412, screenHeight: 915, pixelRatio: 2.625, timezone: 'America/New_York' };

type Name = Exclude<keyof Signals, 'mayBeFrozen' | 'isMinorUnsure' | 'maker' | 'mayBeComputer'>;

/** Reports of one phone from a browser and an SDK, and the signals expected of each. */
interface Phone {
  readonly name: string;
  readonly userAgent?: string;
  readonly acceptLanguage?: string;
  readonly page?: PageReport;
  readonly device: DeviceReport;
  readonly expected: readonly Name[];
}

const PHONES: readonly Phone[] = [
  {
    name: 'Safari 17, which says the true version',
    userAgent: iphone('17_5_1', 'Version/17.5 Mobile/15E148 Safari/604.1'),
    device: { ...IPHONE, osVersion: '17.5.1' },
    expected: ['osVersion', 'family'],
  },
  {
    name: 'Safari 26, which says 18.6 and means its own version',
    userAgent: SAFARI_26,
    device: IPHONE,
    expected: ['osVersion', 'family'],
  },
  {
    name: 'Safari 26 with a page',
    userAgent: SAFARI_26,
    acceptLanguage: 'fr-FR',
    page: { ...IPHONE_PAGE, languages: ['de-CH'] },
    device: IPHONE,
    expected: ['osVersion', 'family', 'languages', 'timezone', 'screen'],
  },
  {
    name: 'Chrome on an iPhone',
    userAgent: iphone('26_1_0', 'CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1'),
    acceptLanguage: 'de-CH,de;q=0.9',
    device: IPHONE,
    expected: ['osVersion', 'family', 'languages'],
  },
  {
    name: 'Instagram on an iPhone, frozen outside and true inside',
    userAgent: INSTAGRAM_IOS,
    device: IPHONE,
    expected: ['osVersion', 'model', 'family', 'languages', 'screen'],
  },
  {
    name: 'Facebook on an iPhone',
    userAgent: FACEBOOK_IOS,
    device: { ...IPHONE, deviceModel: 'iphone15,2' },
    expected: ['osVersion', 'model', 'family', 'languages'],
  },
  {
    name: 'an iPad in an in-app browser',
    userAgent: INSTAGRAM_IOS.replace('iPhone; CPU iPhone OS', 'iPad; CPU OS')
      .replace('iPhone15,2', 'iPad13,4')
      .replace('3.00; 1179x2556', '2.00; 1668x2388'),
    device: {
      ...IPHONE,
      deviceModel: 'iPad13,4',
      screenWidth: 2388,
      screenHeight: 1668,
      screenDensity: 2,
    },
    expected: ['osVersion', 'model', 'family', 'languages', 'screen'],
  },
  {
    name: 'an iPhone whose app knows its family only',
    userAgent: SAFARI_26,
    device: { platform: 'IOS', deviceModel: 'iPhone 14 Pro' },
    expected: ['family'],
  },
  { name: 'Chrome’s "Android 10; K"', userAgent: CHROME, device: PIXEL, expected: [] },
  {
    name: 'Chrome on a phone that is called K, which is none',
    userAgent: CHROME,
    page: { model: 'K' },
    device: { ...PIXEL, deviceModel: 'K' },
    expected: [],
  },
  {
    name: 'Chrome with client hints',
    userAgent: CHROME,
    page: { ...PIXEL_PAGE, ...CLIENT_HINTS },
    device: PIXEL,
    expected: ['osVersion', 'model', 'timezone', 'screen'],
  },
  {
    name: 'an old Chrome that is really on Android 10',
    userAgent: android('Android 10; SM-G975F', 'Chrome/99.0.4844.88 Mobile Safari/537.36'),
    device: { ...PIXEL, osVersion: '10', deviceModel: 'samsung SM-G975F' },
    expected: ['osVersion', 'model'],
  },
  { name: 'a WebView', userAgent: WEBVIEW, device: PIXEL, expected: ['osVersion', 'model'] },
  {
    name: 'Instagram on Android',
    userAgent: INSTAGRAM_ANDROID,
    device: PIXEL,
    expected: ['osVersion', 'model', 'languages', 'screen'],
  },
  {
    name: 'Threads on Android',
    userAgent: INSTAGRAM_ANDROID.replace('Instagram', 'Barcelona'),
    device: PIXEL,
    expected: ['osVersion', 'model', 'languages', 'screen'],
  },
  {
    name: 'Facebook on Android',
    userAgent: FACEBOOK_ANDROID,
    acceptLanguage: 'en-US',
    device: PIXEL,
    expected: ['osVersion', 'model', 'languages'],
  },
  {
    name: 'Samsung Internet, which names the maker',
    userAgent: android(
      'Android 14; SAMSUNG SM-S911B',
      'SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36',
    ),
    device: { ...PIXEL, osVersion: '14', deviceModel: 'SM-S911B' },
    expected: ['osVersion', 'model'],
  },
  {
    name: 'Samsung Internet of today, which says as little as Chrome',
    userAgent: android('Android 10; K', 'SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36'),
    device: PIXEL,
    expected: [],
  },
  {
    name: 'Firefox on Android, which hides the model',
    userAgent: 'Mozilla/5.0 (Android 16; Mobile; rv:147.0) Gecko/147.0 Firefox/147.0',
    device: PIXEL,
    expected: ['osVersion'],
  },
  {
    name: 'a phone whose SDK sends the web view’s user agent instead',
    userAgent: INSTAGRAM_ANDROID,
    device: { platform: 'ANDROID', userAgent: WEBVIEW, locale: 'en-US' },
    expected: ['osVersion', 'model', 'languages'],
  },
  {
    name: 'a phone held sideways',
    page: { screenWidth: 915, screenHeight: 412, pixelRatio: 2.625 },
    device: PIXEL,
    expected: ['screen'],
  },
  {
    name: 'a phone whose SDK sends dots per inch',
    page: PIXEL_PAGE,
    device: { ...PIXEL, screenDensity: 420 },
    expected: ['screen', 'timezone'],
  },
];

function valuesOf(signals: Signals): Record<Name, unknown> {
  const { osVersion, model, family, languages, timezone, screen } = signals;
  // Dividing by the pixel ratio rounds.
  const sizes = screen && [Math.ceil(screen.shorter), Math.ceil(screen.longer), screen.pixelRatio];
  return { osVersion, model, family, languages: languages[0] ?? null, timezone, screen: sizes };
}

const clickOf = (page: PageReport, userAgent = CHROME) =>
  signalsOfClick({ userAgent, acceptLanguage: null, page });
const deviceOf = (report: Partial<DeviceReport>) => signalsOfDevice({ platform: 'ANDROID', ...report });

describe('signals of one phone from a browser and from an SDK', () => {
  for (const { name, userAgent = null, acceptLanguage = null, page = null, device, expected } of PHONES)
    it(`are equal where both report them, else null: ${name}`, () => {
      const click = valuesOf(signalsOfClick({ userAgent, acceptLanguage, page }));
      const app = valuesOf(signalsOfDevice(device));
      const isTold = (signal: Name) => click[signal] !== null && app[signal] !== null;
      assert.deepEqual(
        (Object.keys(click) as Name[]).filter(isTold).sort(),
        [...expected].sort(),
        JSON.stringify({ click, app }),
      );
      for (const signal of expected) {
        // A browser may report a shorter version than the system.
        if (signal === 'osVersion') assert.ok(`${app.osVersion}.`.startsWith(`${click.osVersion}.`));
        else assert.deepEqual(click[signal], app[signal], signal);
      }
    });

  it('a version that may be frozen is marked, and so is one with Safari’s minor version', () => {
    const marks = (userAgent: string) => {
      const { osVersion, mayBeFrozen, isMinorUnsure } = clickOf({}, userAgent);
      return [osVersion, mayBeFrozen, isMinorUnsure];
    };
    assert.deepEqual(marks(iphone('18_6', 'Mobile/15E148')), ['18.6', true, false]);
    assert.deepEqual(marks(iphone('18_7', 'Version/18.7 Mobile/15E148 Safari/604.1')), [
      '18.7',
      false,
      false,
    ]);
    assert.deepEqual(marks(SAFARI_26), ['26.1', false, true]);
    assert.deepEqual(marks(iphone('18_6', 'CriOS/142.0.7444.77 Mobile/15E148')), ['18.6', false, false]);
    assert.deepEqual(marks(INSTAGRAM_IOS), ['26.1', false, false]);
    assert.deepEqual(marks(iphone('17_5', 'Mobile/15E148')), ['17.5', false, false]);
  });

  it('a Mac’s user agent may be an iPad’s, that of another computer may not', () => {
    const { namesOtherSystem, hidden, platform } = readUserAgent(IPAD_AS_MAC);
    assert.deepEqual([namesOtherSystem, hidden, platform], [true, 'IOS', null]);
    const chrome = IPAD_AS_MAC.replace('Version/26.1 Safari', 'Chrome/141.0.0.0 Safari');
    for (const other of [chrome, chrome.replace(/Macintosh[^)]*/, 'Windows NT 10.0; Win64; x64'), CHROME])
      assert.notEqual(readUserAgent(other).hidden, 'IOS', other);
  });

  it('a Mac’s user agent from an iPad gives neither a model nor the Mac’s version', () => {
    const { model, osVersion } = clickOf({}, IPAD_AS_MAC);
    assert.equal(model, null);
    assert.ok(osVersion === null || osVersion === '26.1', osVersion ?? '');
  });
});

/** Each line holds one language, zone or model as browsers, iOS and Android report it. */
const LANGUAGES = [
  ['en-US', 'en_US', 'EN_us', 'en-us', ' en_US ', 'en_US_POSIX', 'en-US-u-ca-buddhist'],
  ['zh-CN', 'zh-Hans_CN', 'zh-Hans-CN', 'zh_CN', 'zh_CN_#Hans'],
  ['zh-TW', 'zh-Hant_TW', 'zh_TW_#Hant'],
  ['he-IL', 'iw-IL', 'iw_IL', 'he_IL'],
  ['id-ID', 'in_ID', 'in-ID', 'id_ID'],
  ['es-419', 'es_419'],
  ['fr', 'fr_', 'FR', 'fr@calendar=gregorian'],
];
const TIMEZONES = [
  ['Asia/Kolkata', 'Asia/Calcutta', 'asia/kolkata'],
  ['Asia/Ho_Chi_Minh', 'Asia/Saigon'],
  ['Europe/Kyiv', 'Europe/Kiev'],
  ['America/Los_Angeles', 'US/Pacific'],
  ['Asia/Kathmandu', 'Asia/Katmandu'],
  ['America/Argentina/Buenos_Aires', 'America/Buenos_Aires'],
  ['UTC', 'Etc/UTC', 'GMT', 'Zulu'],
];
const MODELS = [
  ['SM-S911B', 'samsung SM-S911B', 'SAMSUNG-SM-S911B', 'Samsung  sm-s911b', 'samsung samsung SM-S911B'],
  ['Pixel 7', 'Google Pixel 7', 'google pixel 7', ' Pixel 7 '],
  ['Redmi Note 8 Pro', 'Xiaomi Redmi Note 8 Pro'],
  ['moto g(30)', 'motorola moto g(30)'],
  ['CPH2449', 'OnePlus CPH2449'],
];

describe('equivalent values', () => {
  it('languages are equal in any notation, with any script and by former codes', () => {
    for (const forms of LANGUAGES) {
      const tags = forms.map((locale) => deviceOf({ locale }).languages);
      assert.deepEqual(tags, Array(forms.length).fill(forms.slice(0, 1)), forms[0]);
      assert.deepEqual(clickOf({ languages: [forms.at(-1) ?? ''] }).languages, forms.slice(0, 1));
    }
  });

  it('languages and regions differ', () => {
    const forms = LANGUAGES.map(([form = '']) => deviceOf({ locale: form }).languages[0]);
    assert.equal(new Set(forms).size, LANGUAGES.length);
    assert.notDeepEqual(deviceOf({ locale: 'pt_BR' }), deviceOf({ locale: 'pt_PT' }));
  });

  it('a zone equals its former names and no other zone', () => {
    const names = TIMEZONES.map((forms) => {
      const all = new Set(forms.map((timezone) => deviceOf({ timezone }).timezone));
      assert.equal(all.size, 1, forms.join());
      assert.equal(clickOf({ timezone: forms[0] ?? '' }).timezone, [...all][0]);
      return [...all][0];
    });
    assert.ok(!names.includes(null));
    assert.equal(new Set(names).size, TIMEZONES.length);
  });

  it('a model equals itself with its manufacturer and no other model', () => {
    const names = MODELS.map((forms) => {
      const all = new Set(forms.map((deviceModel) => deviceOf({ deviceModel }).model));
      assert.equal(all.size, 1, [...all].join());
      return [...all][0];
    });
    assert.equal(new Set(names).size, MODELS.length);
    // A manufacturer alone is kept.
    assert.equal(deviceOf({ deviceModel: 'Nokia' }).model, 'nokia');
  });

  it('a version is equal with and without trailing zeros, with dots or underscores', () => {
    for (const osVersion of ['17.5', '17.5.0', '17_5', 'iOS 17.5', '17.5 (21F79)', '17.5.0.0'])
      assert.equal(deviceOf({ osVersion }).osVersion, '17.5', osVersion);
    assert.equal(deviceOf({ osVersion: '10' }).osVersion, '10');
    assert.equal(clickOf({ platformVersion: '14.0.0' }).osVersion, '14');
  });
});

const SIZES = { screenWidth: 1080, screenHeight: 2400, screenDensity: 2.625 };

describe('invalid values', () => {
  it('a screen with a missing, tiny or huge side is null', () => {
    for (const side of [0, 1, 100, 1_000_000, Number.MAX_SAFE_INTEGER, -1080, Number.NaN, null])
      for (const name of ['screenWidth', 'screenHeight']) {
        assert.equal(deviceOf({ ...SIZES, [name]: side }).screen, null, `${name} ${side}`);
        assert.equal(clickOf({ ...PIXEL_PAGE, [name]: side }).screen, null, `page ${name} ${side}`);
      }
    assert.notEqual(deviceOf(SIZES).screen, null);
  });

  it('an impossible density makes an SDK’s screen null, but only the ratio of a page’s', () => {
    for (const density of [0, -2.625, 0.01, 7, 99, 100_000, Number.NaN, Number.POSITIVE_INFINITY, null]) {
      assert.equal(deviceOf({ ...SIZES, screenDensity: density }).screen, null, String(density));
      assert.deepEqual(clickOf({ ...PIXEL_PAGE, pixelRatio: density }).screen?.pixelRatio, null);
    }
  });

  it('unknown languages, zones and versions are null', () => {
    for (const locale of [
      '',
      ' ',
      '_',
      '-US',
      'C',
      'POSIX',
      '*',
      'und',
      'klingon',
      '1',
      '日本語',
      'null',
      '😀',
    ])
      assert.deepEqual(deviceOf({ locale }).languages, [], locale);
    for (const timezone of ['', ' ', 'Mars/Phobos', '+99:99', 'Europe', 'Europe/Berlin ', '0', 'null', '😀'])
      assert.equal(deviceOf({ timezone }).timezone, null, timezone);
    for (const osVersion of ['', ' ', '.', 'unknown', 'π', '١٧', 'null', '...'])
      assert.equal(deviceOf({ osVersion }).osVersion, null, osVersion);
    for (const deviceModel of ['', ' ', '\n\t', 'K', 'k'])
      assert.equal(deviceOf({ deviceModel }).model, null, deviceModel);
  });

  it('values of another type do not affect the others', () => {
    const page = { ...PIXEL_PAGE, languages: [null, 7, {}, 'en-US'] } as unknown as PageReport;
    assert.deepEqual(clickOf(page).languages, ['en-US']);
    assert.notEqual(clickOf(page).screen, null);
  });

  it('texts of ten thousand characters are rejected quickly', () => {
    const pieces = [
      ...[
        ' ',
        '.',
        '-',
        '_',
        '0',
        '.0',
        '1.',
        'a',
        'a-',
        'en-',
        'samsung ',
        'xiaomi-',
        '/',
        ';',
        ',',
        '(',
        ' ((',
      ],
      ...[
        'Instagram 1 (iPhone1,1; iOS 1; en; scale=1; ',
        'Instagram 1 Android (1/1; 1dpi; 100x100; a; ',
        '100x',
      ],
      ...[
        '[FBDV/',
        ';FBSV/1',
        'Version/1 ',
        'Mozilla/5.0 (',
        'Android ',
        'iPhone OS 1_',
        'Safari/',
        '😀',
        '\u0000',
      ],
    ];
    const startedAtMs = performance.now();
    for (const [place, piece] of pieces.entries())
      for (const head of [
        '',
        'Mozilla/5.0 (Linux; Android 14; ',
        `Instagram ${place} (iPhone1,1; iOS 1; en;`,
      ]) {
        const text = `${head}${piece.repeat(10_000 / piece.length)}`;
        const page = {
          timezone: text,
          languages: Array(1_000).fill(text),
          model: text,
          platformVersion: text,
        };
        const click = signalsOfClick({ userAgent: text, acceptLanguage: text, page });
        signalsOfClick({ userAgent: text, acceptLanguage: text, page: null });
        const report = { osVersion: text, deviceModel: text, userAgent: text, locale: text, timezone: text };
        for (const signals of [click, deviceOf(report), deviceOf({ ...report, platform: 'IOS' })]) {
          assert.equal(signals.timezone, null);
          assert.ok((signals.model ?? '').length <= 128 && (signals.osVersion ?? '').length <= 64);
        }
      }
    // Catastrophic backtracking would take minutes.
    assert.ok(performance.now() - startedAtMs < 10_000);
  });
});
