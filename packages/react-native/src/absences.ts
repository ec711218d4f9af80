import type { Ports } from '@throughline/core';
import type { Config } from './client.ts';
import type { Modules } from './modules.ts';

/** The consequences of missing modules on this system, one text for each. */
export function absences(
  modules: Modules,
  { os, config, ports }: { os: string; config: Config; ports: Ports },
): string[] {
  const missing: string[] = [];
  const { asyncStorage, expoApplication, expoDevice, deviceInfo } = modules;
  const without = (modules: readonly string[], cost: string) => missing.push(`${absent(modules)}: ${cost}.`);
  const isPhone = os === 'ios' || os === 'android';

  if (asyncStorage === null && ports.storage === undefined)
    without(['@react-native-async-storage/async-storage'], 'every start of the app counts as an install');
  if (os === 'android' && ports.referrer === undefined) withoutReferrer(modules, without);
  if (os === 'android' && config.metaAppId !== undefined && modules.ads === null)
    without(['@throughline/react-native-ads'], 'metaAppId has no effect, and Meta’s referrer stays unknown');
  if (isPhone && expoApplication === null && deviceInfo === null)
    without(
      ['expo-application', 'react-native-device-info'],
      os === 'ios'
        ? 'installs lack the version of the app'
        : 'installs lack the version of the app, a reinstall whose data Android restores is no new install, and people who had the app before this client count as new',
    );
  if (os === 'ios' && expoDevice === null && deviceInfo === null)
    without(
      ['expo-device', 'react-native-device-info'],
      'the model of the phone is unknown, so fewer installs match',
    );
  if (isPhone && modules.expoLocalization === null)
    without(
      ['expo-localization'],
      'the language is the app’s in place of the phone’s, so fewer installs match',
    );
  if (os === 'ios' && modules.expoClipboard === null)
    without(['expo-clipboard'], 'PasteLinkButton shows nothing');
  return missing;
}

function withoutReferrer(
  { playInstallReferrer, expoApplication }: Modules,
  without: (modules: readonly string[], cost: string) => void,
): void {
  if (playInstallReferrer !== null) return;
  if (expoApplication === null)
    without(
      ['react-native-play-install-referrer', 'expo-application'],
      'installs from Google Play match by device data alone',
    );
  else
    without(
      ['react-native-play-install-referrer'],
      'the referrer of Google Play comes without the time of the install, which tells old referrers from new ones',
    );
}

function absent([first, second]: readonly string[]): string {
  return second === undefined ? `${first} is not installed` : `Neither ${first} nor ${second} is installed`;
}
