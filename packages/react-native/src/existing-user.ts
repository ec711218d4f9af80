import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/**
 * Whether the app was updated since its installation, which before the first start of this client means that the person had
 * it without one. Null where the system does not tell: on iOS the app passes a port of its own.
 */
export function existingUserOf({ expoApplication, deviceInfo }: Modules): (() => Promise<boolean>) | null {
  if (Platform.OS !== 'android' || (expoApplication === null && deviceInfo === null)) return null;
  return async () => {
    const [installedMs, updatedMs] =
      expoApplication === null
        ? await Promise.all([deviceInfo?.getFirstInstallTime(), deviceInfo?.getLastUpdateTime()])
        : await Promise.all([
            expoApplication.getInstallationTimeAsync().then((time) => time.getTime()),
            expoApplication.getLastUpdateTimeAsync().then((time) => time.getTime()),
          ]);
    return Number(installedMs) > 0 && Number(installedMs) < Number(updatedMs);
  };
}
