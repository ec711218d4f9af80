import type { Fingerprint } from '@throughline/core';
import { Dimensions, PixelRatio, Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** Sizes in physical pixels. A value that cannot be read is left out. */
export function readDevice(modules: Modules): Fingerprint {
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
  return { platform: platform(), ...known(values) };
}

function platform(): Fingerprint['platform'] {
  if (Platform.OS === 'web') return /android/i.test(navigator.userAgent) ? 'ANDROID' : 'IOS';
  return Platform.OS === 'android' ? 'ANDROID' : 'IOS';
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
