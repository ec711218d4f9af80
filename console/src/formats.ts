/** Numbers and times as the viewer writes them. */

/** The viewer's, or English where the browser names it in another form, such as en-US@posix. */
export const LOCALE = localeOf(navigator.language);
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

const integers = new Intl.NumberFormat(LOCALE);

export function formatCount(count: number): string {
  return integers.format(count);
}

/** @param share from 0 to 1 */
export function formatShare(share: number, digits = 1): string {
  return new Intl.NumberFormat(LOCALE, {
    style: 'percent',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(share);
}

/**
 * Rounded down, as in the service's reasons: 97, or 0.9 below 1. Never 100, as no comparison of phones is certain.
 * @param probability from 0 to 1, with four digits
 */
export function toPercent(probability: number): number {
  const hundredths = Math.round(probability * 10_000);
  return hundredths < 100 ? Math.floor(hundredths / 10) / 10 : Math.min(99, Math.floor(hundredths / 100));
}

export function formatProbability(probability: number): string {
  const percent = toPercent(probability);
  return formatShare(percent / 100, percent > 0 && percent < 1 ? 1 : 0);
}

/** As many as the service keeps. */
const MONEY_DIGITS = 4;

/** With the decimals of the currency, and more where the amount has them. @param digits at most so many */
export function formatMoney(
  { amount, currency }: { amount: string; currency: string },
  digits = MONEY_DIGITS,
): string {
  return new Intl.NumberFormat(LOCALE, {
    ...{ style: 'currency', currency, maximumFractionDigits: digits },
    minimumFractionDigits: Math.min(usualDigits(currency), digits),
  }).format(Number(amount));
}

/** Decimals of a currency: 2 for EUR, none for JPY, 3 for KWD. */
export function usualDigits(currency: string): number {
  const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
  return format.resolvedOptions().minimumFractionDigits ?? 2;
}

type Style = Intl.DateTimeFormatOptions;
const DAY: Style = { day: 'numeric', month: 'short' };
const TIME: Style = { hour: '2-digit', minute: '2-digit', second: '2-digit' };

function format(at: Date, style: Style): string {
  return new Intl.DateTimeFormat(LOCALE, style).format(at);
}

export function formatTime(at: string): string {
  return format(new Date(at), TIME);
}

/** The time alone for today, with the day for this year, with the year before. */
export function formatMoment(at: string, { seconds = true }: { seconds?: boolean } = {}): string {
  const date = new Date(at);
  const now = new Date();
  const time: Style = seconds ? TIME : { hour: '2-digit', minute: '2-digit' };
  if (date.toDateString() === now.toDateString()) return format(date, time);
  const day: Style = date.getFullYear() === now.getFullYear() ? DAY : { ...DAY, year: 'numeric' };
  return format(date, { ...day, ...time });
}

/** With the year and the zone. */
export function formatFullMoment(at: string): string {
  return format(new Date(at), { ...DAY, year: 'numeric', ...TIME, timeZoneName: 'short' });
}

/** With the year, in the viewer's zone. */
export function formatLongDay(at: string): string {
  return format(new Date(at), { ...DAY, year: 'numeric' });
}

export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** @param day such as 2026-11-20, of any time zone */
export function formatDay(day: string, style: Style = DAY): string {
  return format(new Date(`${day.slice(0, 10)}T00:00:00Z`), { ...style, timeZone: 'UTC' });
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: SIZES[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** power);
}

const UNITS = [
  { seconds: 86_400, unit: 'day' },
  { seconds: 3_600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
  { seconds: 1, unit: 'second' },
] as const;

/** In the largest units: 4 min 12 sec. */
export function formatDuration(seconds: number, display: 'short' | 'long' = 'short', units = 2): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex((unit) => whole >= unit.seconds);
  const index = first === -1 ? UNITS.length - 1 : first;
  const parts: string[] = [];
  let rest = whole;
  for (const { seconds: size, unit } of UNITS.slice(index, index + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || parts.length === 0)
      parts.push(new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: display }).format(count));
  }
  return parts.join(display === 'long' ? ' and ' : ' ');
}

export function formatCountry(code: string | null): string {
  if (code === null) return 'Not known';
  try {
    return new Intl.DisplayNames([LOCALE], { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

export const PLATFORMS = { IOS: 'iOS', ANDROID: 'Android' } as const;

export type Platform = keyof typeof PLATFORMS;

/** Such as iOS 18.5. */
export function formatSystem(platform: Platform, version: string | null): string {
  return version === null ? PLATFORMS[platform] : `${PLATFORMS[platform]} ${version}`;
}

/** The platform that an address names. */
export function platformOf(text: string | undefined): { platform?: Platform } {
  const platform = (['IOS', 'ANDROID'] as const).find((name) => name === text);
  return platform === undefined ? {} : { platform };
}

export const METHODS = {
  INSTALL_REFERRER: 'Install referrer',
  CLICK_ID: 'Click ID',
  FINGERPRINT: 'Fingerprint',
  DIRECT: 'The link itself',
  ORGANIC: 'Organic',
} as const;
export type Method = keyof typeof METHODS;

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The beginning and the end of an identifier. */
export function shortId(id: string): string {
  return `${id.slice(0, 8)}…${id.slice(-5)}`;
}

/** When a UUIDv7 was made, as ISO text; null for other versions. */
export function timeOfId(id: string): string | null {
  const digits = id.replaceAll('-', '');
  return digits[12] === '7' ? new Date(Number.parseInt(digits.slice(0, 12), 16)).toISOString() : null;
}
