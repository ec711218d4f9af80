/**
 * The optional modules. Metro bundles a module only for a literal `require` inside `try`, and leaves it out if it is not
 * installed.
 */

import type { MetaReferrer } from '@throughline/core';
import type { ComponentType } from 'react';

declare const require: (name: string) => unknown;

interface AsyncStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
  removeItem(key: string): Promise<unknown>;
  getAllKeys(): Promise<readonly string[]>;
}

interface PlayInstallReferrer {
  getInstallReferrerInfo(
    callback: (
      info: {
        readonly installReferrer: string | null;
        readonly referrerClickTimestampSeconds?: number | string;
        readonly referrerClickTimestampServerSeconds?: number | string;
        readonly installBeginTimestampSeconds?: number | string;
        readonly installBeginTimestampServerSeconds?: number | string;
      } | null,
      error: { readonly message?: string } | null,
    ) => void,
  ): void;
}

interface ExpoApplication {
  readonly nativeApplicationVersion: string | null;
  getInstallReferrerAsync(): Promise<string>;
  getInstallationTimeAsync(): Promise<Date>;
  getLastUpdateTimeAsync(): Promise<Date>;
}

interface ExpoDevice {
  readonly modelId: string | null;
}

interface DeviceInfo {
  getDeviceId(): string;
  getVersion(): string;
  getFirstInstallTime(): Promise<number>;
  getLastUpdateTime(): Promise<number>;
  /** Of the process, since version 14. */
  getStartupTimeSync?(): number;
}

interface Ads {
  launchId(): string;
  readAppleAdsToken(): Promise<string | null>;
  setConversionValue(fine: number, coarse: string | null, lock: boolean): Promise<void>;
  readMetaReferrer(appId: string): Promise<MetaReferrer | null>;
}

interface ExpoLocalization {
  getLocales(): readonly { readonly languageTag: string }[];
  getCalendars(): readonly { readonly timeZone: string | null }[];
}

interface ExpoClipboard {
  readonly ClipboardPasteButton: ComponentType<{
    onPress(data: { readonly type: string; readonly text?: string }): void;
    acceptedContentTypes: string[];
    style?: unknown;
  }>;
  readonly isPasteButtonAvailable: boolean;
}

/** The modules that the app has; null for the others. */
export interface Modules {
  readonly ads: Ads | null;
  readonly asyncStorage: AsyncStorage | null;
  readonly playInstallReferrer: PlayInstallReferrer | null;
  readonly expoApplication: ExpoApplication | null;
  readonly expoDevice: ExpoDevice | null;
  readonly deviceInfo: DeviceInfo | null;
  readonly expoLocalization: ExpoLocalization | null;
  readonly expoClipboard: ExpoClipboard | null;
}

export function findModules(): Modules {
  return {
    ads: findAds(),
    asyncStorage: findAsyncStorage(),
    playInstallReferrer: findPlayInstallReferrer(),
    expoApplication: findExpoApplication(),
    expoDevice: findExpoDevice(),
    deviceInfo: findDeviceInfo(),
    expoLocalization: findExpoLocalization(),
    expoClipboard: findExpoClipboard(),
  };
}

/** Null too if the app was built without its native half. */
function findAds(): Ads | null {
  try {
    return (require('@throughline/react-native-ads') as { default: Ads | null }).default;
  } catch {
    return null;
  }
}

function findAsyncStorage(): AsyncStorage | null {
  try {
    return (require('@react-native-async-storage/async-storage') as { default: AsyncStorage }).default;
  } catch {
    return null;
  }
}

function findPlayInstallReferrer(): PlayInstallReferrer | null {
  try {
    const { PlayInstallReferrer } = require('react-native-play-install-referrer') as {
      PlayInstallReferrer: PlayInstallReferrer;
    };
    return PlayInstallReferrer;
  } catch {
    return null;
  }
}

function findExpoApplication(): ExpoApplication | null {
  try {
    return require('expo-application') as ExpoApplication;
  } catch {
    return null;
  }
}

function findExpoDevice(): ExpoDevice | null {
  try {
    return require('expo-device') as ExpoDevice;
  } catch {
    return null;
  }
}

function findDeviceInfo(): DeviceInfo | null {
  try {
    return (require('react-native-device-info') as { default: DeviceInfo }).default;
  } catch {
    return null;
  }
}

function findExpoLocalization(): ExpoLocalization | null {
  try {
    return require('expo-localization') as ExpoLocalization;
  } catch {
    return null;
  }
}

export function findExpoClipboard(): ExpoClipboard | null {
  try {
    return require('expo-clipboard') as ExpoClipboard;
  } catch {
    return null;
  }
}
