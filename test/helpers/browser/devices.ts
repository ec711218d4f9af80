/** Devices as a web page sees them: sizes in CSS pixels, user agents and client hints as their browsers send them. */

export interface Device {
  readonly name: 'iphone' | 'pixel' | 'tablet' | 'desktop';
  readonly userAgent: string;
  /** The value of `navigator.platform`. */
  readonly platform: string;
  readonly screen: Size;
  /** The part of the screen that the browser's toolbars leave free. */
  readonly viewport: Size;
  readonly pixelRatio: number;
  /** 0 for a device with a mouse. */
  readonly touchPoints: number;
  /** Whether the browser applies `meta viewport`, as phones do. */
  readonly isMobile: boolean;
  /** The value of `navigator.userAgentData`; null for Safari, which does not have it. */
  readonly clientHints: ClientHints | null;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface ClientHints {
  readonly platform: string;
  readonly platformVersion: string;
  readonly model: string;
  readonly mobile: boolean;
  readonly architecture: string;
  readonly bitness: string;
  readonly brands: readonly Brand[];
  readonly fullVersionList: readonly Brand[];
}

interface Brand {
  readonly brand: string;
  readonly version: string;
}

const CHROME = '141.0.7390.122';
const SAFARI_26 = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1';
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)';

export const DEVICES = {
  iphone: {
    name: 'iphone',
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${SAFARI_26} Mobile/15E148 Safari/604.1`,
    platform: 'iPhone',
    screen: { width: 393, height: 852 },
    viewport: { width: 393, height: 659 },
    pixelRatio: 3,
    touchPoints: 5,
    isMobile: true,
    clientHints: null,
  },
  pixel: {
    name: 'pixel',
    userAgent: `Mozilla/5.0 (Linux; Android 10; K) ${BLINK} Chrome/141.0.0.0 Mobile Safari/537.36`,
    platform: 'Linux armv81',
    screen: { width: 412, height: 915 },
    viewport: { width: 412, height: 785 },
    pixelRatio: 2.625,
    touchPoints: 5,
    isMobile: true,
    clientHints: {
      platform: 'Android',
      platformVersion: '16.0.0',
      model: 'Pixel 7',
      mobile: true,
      architecture: '',
      bitness: '',
      ...brands(),
    },
  },
  /** An iPad identifies itself as a Mac; only its touch points differ. */
  tablet: {
    name: 'tablet',
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI_26} Safari/605.1.15`,
    platform: 'MacIntel',
    screen: { width: 820, height: 1180 },
    viewport: { width: 820, height: 1106 },
    pixelRatio: 2,
    touchPoints: 5,
    isMobile: true,
    clientHints: null,
  },
  desktop: {
    name: 'desktop',
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/141.0.0.0 Safari/537.36`,
    platform: 'Win32',
    screen: { width: 1440, height: 900 },
    viewport: { width: 1440, height: 789 },
    pixelRatio: 1,
    touchPoints: 0,
    isMobile: false,
    clientHints: {
      platform: 'Windows',
      platformVersion: '15.0.0',
      model: '',
      mobile: false,
      architecture: 'x86',
      bitness: '64',
      ...brands(),
    },
  },
} as const satisfies Record<string, Device>;

function brands(): Pick<ClientHints, 'brands' | 'fullVersionList'> {
  const list = (version: string, grease: string) => [
    { brand: 'Google Chrome', version },
    { brand: 'Not?A_Brand', version: grease },
    { brand: 'Chromium', version },
  ];
  return { brands: list('141', '8'), fullVersionList: list(CHROME, '8.0.0.0') };
}
