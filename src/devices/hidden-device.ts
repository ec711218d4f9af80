/** Phones and tablets that ask for desktop pages send a computer's user agent; the landing page tells them apart. */
import type { PageReport, Platform } from './signals.ts';
import type { AgentReport } from './user-agent.ts';

interface HiddenDevice {
  readonly platform: Platform;
  /** `iphone` or `ipad`; null for Android. */
  readonly family: string | null;
  /** Whether a computer would report the same. */
  readonly mayBeComputer: boolean;
}

/** @returns null for a computer, and for a device that is not hidden. */
export function hiddenDevice({ hidden }: AgentReport, page: PageReport | null): HiddenDevice | null {
  if (hidden === 'IOS') return behindMac(page);
  if (hidden === 'ANDROID' && page !== null && isAndroidPage(page))
    return { platform: 'ANDROID', family: null, mayBeComputer: false };
  return null;
}

/** A laptop with a touch screen has a finer pointer too; Chromium on a computer reports no model. */
function isAndroidPage({ model, maxTouchPoints, coarsePointer }: PageReport): boolean {
  return Boolean(model) || ((maxTouchPoints ?? 0) > 1 && coarsePointer === true);
}

/** No Mac has a touch screen. */
function behindMac(page: PageReport | null): HiddenDevice | null {
  const touchPoints = page?.maxTouchPoints ?? null;
  const screen = appleScreen(page);
  if (touchPoints === 0 || screen === 'computer') return null;
  if (screen === 'iphone') return { platform: 'IOS', family: 'iphone', mayBeComputer: false };
  return { platform: 'IOS', family: 'ipad', mayBeComputer: touchPoints === null };
}

/** In CSS pixels: iPhones to 440 × 956, iPads from 744 × 1133 to 1192 × 1590 with smaller text. */
const IPHONE_SHORTER = { min: 320, max: 500 };
const IPAD_SHORTER = { min: 700, max: 1_200 };
/** From 4:3 to the iPad mini's 1.523. The screens of Macs are longer, from 1.537. */
const IPAD_RATIO = { min: 1.32, max: 1.53 };

/** Null if the page tells no screen. */
function appleScreen(page: PageReport | null): 'iphone' | 'ipad' | 'computer' | null {
  const { screenWidth: width, screenHeight: height } = page ?? {};
  if (!width || !height) return null;
  const [shorter, longer] = width < height ? [width, height] : [height, width];
  if (isWithin(IPHONE_SHORTER, shorter)) return 'iphone';
  return isWithin(IPAD_SHORTER, shorter) && isWithin(IPAD_RATIO, longer / shorter) ? 'ipad' : 'computer';
}

function isWithin({ min, max }: { min: number; max: number }, value: number): boolean {
  return value >= min && value <= max;
}
