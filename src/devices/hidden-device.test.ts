import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hiddenDevice } from './hidden-device.ts';
import { type PageReport, readPlatform, readUserAgent, signalsOfClick } from './index.ts';

const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

/** CSS sizes of Apple's specifications, also with more space and with a notch or an external screen. */
const IPADS = [
  [744, 1133],
  [768, 1024],
  [810, 1080],
  [820, 1180],
  [834, 1194],
  [834, 1210],
  [1024, 1366],
  [1032, 1376],
  [1192, 1590],
] as const;
const IPHONES = [
  [320, 568],
  [375, 667],
  [393, 852],
  [440, 956],
] as const;
const MACS = [
  [1512, 982],
  [1470, 956],
  [1728, 1117],
  [1440, 900],
  [1920, 1080],
  [2560, 1440],
  [1280, 1024],
] as const;

const pageOf = ([screenWidth, screenHeight]: readonly [number, number], more: PageReport = {}) => ({
  screenWidth,
  screenHeight,
  pixelRatio: 2,
  ...more,
});
const familyOf = (page: PageReport | null) => {
  const hidden = hiddenDevice(readUserAgent(MAC), page);
  return hidden === null ? 'computer' : hidden.mayBeComputer ? 'perhaps an ipad' : hidden.family;
};

describe('a device that asks for desktop pages', () => {
  it('is an iPad or an iPhone by touch points and screen, and a Mac without a touch screen never is', () => {
    for (const screen of IPADS) {
      assert.equal(familyOf(pageOf(screen, { maxTouchPoints: 5 })), 'ipad', `${screen}`);
      assert.equal(familyOf(pageOf(screen)), 'perhaps an ipad', `${screen}`);
      assert.equal(familyOf(pageOf(screen, { maxTouchPoints: 0 })), 'computer', `${screen}`);
    }
    for (const screen of IPHONES)
      assert.equal(familyOf(pageOf(screen, { maxTouchPoints: 5 })), 'iphone', `${screen}`);
    for (const screen of MACS) assert.equal(familyOf(pageOf(screen)), 'computer', `${screen}`);
    assert.equal(familyOf(null), 'perhaps an ipad');
  });

  it('is an Android tablet by its model, or by its touch screen without a finer pointer', () => {
    const isAndroid = (page: PageReport | null) => hiddenDevice(readUserAgent(LINUX), page) !== null;
    assert.ok(isAndroid({ maxTouchPoints: 5, coarsePointer: true }));
    assert.ok(isAndroid({ model: 'SM-X710' }));
    for (const page of [null, {}, { maxTouchPoints: 10, coarsePointer: false }, { maxTouchPoints: 5 }])
      assert.ok(!isAndroid(page), JSON.stringify(page));
  });
});

/** Forms seen in the fixtures of matomo device-detector and uap-core. */
const OTHER_SYSTEMS = [
  'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile',
  'Roku/DVP-12.0 (12.0.0.4182-88)',
  'Nokia6300/2.0 (05.50) Profile/MIDP-2.0 Configuration/CLDC-1.1',
  'Mozilla/5.0 (Series40; Nokia501/10.0.2; Profile/MIDP-2.1) Gecko/20100401 S40OviBrowser/3.0.0.0.73',
  'Mozilla/5.0 (Mobile; LYF/F90M/LYF-F90M-000-02-28-130318;Android; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
  'Mozilla/5.0 (X11; Tizen/1.0 like Android; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
  'Mozilla/5.0 (Viera; like Android 4.0.2; rv:34.0) Gecko/20100101 Firefox/34.0',
  'Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537',
  'UCWEB/2.0 (Java; U; MIDP-2.0; ru; nokia2700) U2/1.0.0 UCBrowser/8.9.0.251 U2/1.0.0 Mobile',
];

const PROXIES = [
  [
    'UCWEB/2.0 (iOS; U; iPad OS 6_1_3; ru; iPad2,5) U2/1.0.0 UCBrowser/9.0.0.260 U2/1.0.0 Mobile',
    ['IOS', '6.1.3', 'ipad2,5', 'ipad'],
  ],
  ['IUC(U;iOS 6.1.2;Zh-cn;320*480;)/UCWEB8.9.1.271/42/800', ['IOS', '6.1.2', null, null]],
  [
    'JUC (Linux; U; 4.0.3; zh-cn; NOVO7_Mars; 1024*600) UCWEB7.9.4.145/139/800',
    ['ANDROID', '4.0.3', 'novo7_mars', null],
  ],
  [
    'Mozilla/5.0 (X11; U; Linux x86_64; ru-RU) AppleWebKit/534.35 (KHTML, like Gecko) Chrome/11.0.696.65 Safari/534.35 Puffin/9.7.2.51367AP',
    ['ANDROID', null, null, null],
  ],
  [
    'Mozilla/5.0 (X11; U; Linux i686; en-US) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/40.0 Safari/537.36 Puffin/4.8.0IT',
    ['IOS', null, null, null],
  ],
] as const;

describe('the system in a user agent', () => {
  it('is neither iOS nor Android if it names another one, whatever it claims to be like', () => {
    for (const userAgent of OTHER_SYSTEMS) {
      const { platform, namesOtherSystem } = readUserAgent(userAgent);
      assert.deepEqual([platform, namesOtherSystem], [null, true], userAgent);
      assert.equal(readPlatform(userAgent).platform, null, userAgent);
    }
    assert.equal(readUserAgent('Example/1.0').namesOtherSystem, false);
  });

  it('is the phone’s where a browser on a server draws the page', () => {
    for (const [userAgent, expected] of PROXIES) {
      const { osVersion, model, family } = signalsOfClick({ userAgent, acceptLanguage: null, page: null });
      assert.deepEqual([readPlatform(userAgent).platform, osVersion, model, family], expected, userAgent);
    }
  });
});
