import type { Fingerprint } from '@throughline/core';
import { Dimensions, PixelRatio, Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** Sizes in physical pixels. A value that cannot be read is left out. */
export function readDevice(modules: Modules, platform: Fingerprint['platform']): Fingerprint {
  const { expoApplication, deviceInfo, expoLocalization } = modules;
  const { width, height } = Dimensions.get('screen');
  const density = PixelRatio.get();
  const values = {
    userAgent: () => (Platform.OS === 'web' ? navigator.userAgent : null),
    osVersion,
    deviceModel: () => deviceModel(modules),
    screenWidth: () => Math.round(width * density),
    screenHeight: () => Math.round(height * density),
    screenDensity: () => density,
    locale: () =>
      expoLocalization?.getLocales()[0]?.languageTag ?? Intl.DateTimeFormat().resolvedOptions().locale,
    timezone: () =>
      expoLocalization?.getCalendars()[0]?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    appVersion: () => expoApplication?.nativeApplicationVersion ?? deviceInfo?.getVersion(),
  };
  return { platform, ...known(values) };
}

/** Null on computers: in their browsers, while a server renders, and in apps for macOS and Windows. */
export function phoneOf(): Fingerprint['platform'] | null {
  if (Platform.OS === 'web') return typeof navigator === 'object' ? phoneOfBrowser() : null;
  return Platform.OS === 'ios' ? 'IOS' : Platform.OS === 'android' ? 'ANDROID' : null;
}

interface Browser {
  readonly navigator: { readonly userAgent: string; readonly maxTouchPoints: number };
  matchMedia(query: string): { readonly matches: boolean };
}

/** Tablets may say that they are computers; the service's landing page asks the same. */
function phoneOfBrowser(): Fingerprint['platform'] | null {
  const { navigator, matchMedia } = globalThis as unknown as Browser;
  const { userAgent, maxTouchPoints } = navigator;
  if (/iP(hone|ad|od)/.test(userAgent)) return 'IOS';
  if (/Android/.test(userAgent)) return 'ANDROID';
  if (!(maxTouchPoints > 1)) return null;
  if (/Macintosh/.test(userAgent)) return 'IOS';
  return /Linux/.test(userAgent) && matchMedia('(pointer: coarse)').matches ? 'ANDROID' : null;
}

function osVersion(): string | null {
  if (Platform.OS === 'android') return constant('Release');
  return Platform.OS === 'ios' ? String(Platform.Version) : null;
}

/** Such as `iPhone15,2` or `Pixel 9`. */
function deviceModel({ expoDevice, deviceInfo }: Modules): string | null | undefined {
  if (Platform.OS === 'android') return constant('Model');
  return Platform.OS === 'ios' ? (expoDevice?.modelId ?? deviceInfo?.getDeviceId()) : null;
}

function constant(name: string): string | null {
  const value: unknown = Object.entries(Platform.constants).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : null;
}

/** A native module that is bundled but not built in throws when it is asked. */
function known<T extends Record<string, () => unknown>>(
  values: T,
): { [Name in keyof T]?: NonNullable<ReturnType<T[Name]>> } {
  const result: { [Name in keyof T]?: NonNullable<ReturnType<T[Name]>> } = {};
  for (const name in values) {
    try {
      const value = values[name]?.() as ReturnType<T[typeof name]> | undefined;
      if (value !== null && value !== undefined && value !== '') result[name] = value;
    } catch {}
  }
  return result;
}
