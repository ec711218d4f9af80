import type { StoreReferrer } from '@throughline/core';
import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** Play's install referrer; null on other systems, and without a module that reads it. */
export function referrerOf({
  playInstallReferrer,
  expoApplication,
}: Modules): (() => Promise<StoreReferrer | null>) | null {
  if (Platform.OS !== 'android') return null;
  if (playInstallReferrer !== null) return () => readFromPlay(playInstallReferrer);
  if (expoApplication === null) return null;
  return async () => toReferrer(await expoApplication.getInstallReferrerAsync(), {});
}

function readFromPlay(play: NonNullable<Modules['playInstallReferrer']>): Promise<StoreReferrer | null> {
  return new Promise((resolve, reject) => {
    play.getInstallReferrerInfo((info, error) => {
      if (error !== null || info === null)
        reject(new Error(error?.message ?? 'Google Play gave no referrer'));
      else
        resolve(
          toReferrer(info.installReferrer, {
            clickedAt: toIso(info.referrerClickTimestampSeconds),
            serverClickedAt: toIso(info.referrerClickTimestampServerSeconds),
            installBeganAt: toIso(info.installBeginTimestampSeconds),
            serverInstallBeganAt: toIso(info.installBeginTimestampServerSeconds),
          }),
        );
    });
  });
}

function toReferrer(
  installReferrer: string | null,
  times: Record<string, string | undefined>,
): StoreReferrer | null {
  return installReferrer ? { installReferrer, ...times } : null;
}

/** Older versions of the module give texts; 0 stands for unknown. */
function toIso(seconds: number | string | undefined): string | undefined {
  const ms = Number(seconds) * 1_000;
  return ms > 0 ? new Date(ms).toISOString() : undefined;
}
