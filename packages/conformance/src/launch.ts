/** The first command of a process: configuration, device and what started the app. */
import type { JsonObject, Launch } from './scenario.ts';

const DEVICES = {
  ANDROID: {
    platform: 'ANDROID',
    osVersion: '15',
    deviceModel: 'Pixel 9',
    screenWidth: 1080,
    screenHeight: 2424,
    screenDensity: 2.625,
    locale: 'en-US',
    timezone: 'America/New_York',
    appVersion: '4.2.0',
  },
  IOS: {
    platform: 'IOS',
    osVersion: '18.5',
    deviceModel: 'iPhone17,3',
    screenWidth: 1179,
    screenHeight: 2556,
    screenDensity: 3,
    locale: 'en-US',
    timezone: 'America/New_York',
    appVersion: '4.2.0',
  },
} as const;
/** Long enough to answer within, short enough to wait for. */
const FIRST_OPEN_TIMEOUT_MS = 1_000;

export function startCommand(
  launch: Launch,
  of: {
    readonly baseUrl: string;
    readonly key: string;
    readonly hosts: readonly string[];
    readonly launchId: string;
  },
): JsonObject {
  const { baseUrl, key, hosts, launchId } = of;
  return {
    do: 'start',
    config: {
      baseUrl,
      key,
      hosts,
      firstOpenTimeoutMs: FIRST_OPEN_TIMEOUT_MS,
      consent: 'granted',
      ...launch.config,
    },
    device: deviceOf(launch),
    referrer: launch.referrer ?? null,
    metaReferrer: launch.metaReferrer ?? null,
    appleAdsToken: launch.appleAdsToken ?? null,
    conversion: launch.conversion ?? false,
    clipboard: launch.clipboard ?? null,
    initialUrl: launch.initialUrl ?? null,
    launchId: launch.launchId ?? launchId,
    existingUser: launch.existingUser ?? false,
    clockAheadMs: launch.clockAheadMs ?? 0,
    storage: launch.storage ?? null,
  };
}

function deviceOf({ device = 'ANDROID', appVersion }: Launch): JsonObject {
  const { appVersion: usual, ...rest } = DEVICES[device];
  return appVersion === null ? rest : { ...rest, appVersion: appVersion ?? usual };
}
