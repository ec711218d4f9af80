/** Simulated computers. */

type Screen = readonly [number, number, number];
const WINDOWS_SCREENS: readonly Screen[] = [
  [1920, 1080, 1],
  [1536, 864, 1.25],
  [2560, 1440, 1],
];
const MAC_SCREENS: readonly Screen[] = [
  [1440, 900, 2],
  [1512, 982, 2],
  [1728, 1117, 2],
];
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36';
export const COMPUTERS = [
  {
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME}`,
    screens: WINDOWS_SCREENS,
    platformVersion: '19.0.0',
    weight: 0.45,
  },
  {
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Edg/145.0.0.0`,
    screens: WINDOWS_SCREENS,
    platformVersion: '15.0.0',
    weight: 0.15,
  },
  {
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME}`,
    screens: MAC_SCREENS,
    platformVersion: '15.6.1',
    weight: 0.15,
  },
  {
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.2 Safari/605.1.15',
    screens: MAC_SCREENS,
    platformVersion: null,
    weight: 0.15,
  },
  {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:147.0) Gecko/20100101 Firefox/147.0',
    screens: WINDOWS_SCREENS,
    platformVersion: null,
    weight: 0.1,
  },
];
