import type { Config, Region } from './config.ts';
import { refuse } from './lib/setting-readers.ts';
import type { SettingName } from './settings.ts';

const MAX_APP_NAME_CHARACTERS = 255;

/** The settings of the first app; its keys must be of this region. @throws StartError for one that cannot be used. */
export function bootstrap(text: (name: SettingName) => string | null, region: Region): Config['bootstrap'] {
  return {
    appName: appName(text('BOOTSTRAP_APP_NAME')),
    liveKey: firstSecretKey('BOOTSTRAP_LIVE_KEY', text('BOOTSTRAP_LIVE_KEY'), 'svc_live_', region),
    testKey: firstSecretKey('BOOTSTRAP_TEST_KEY', text('BOOTSTRAP_TEST_KEY'), 'svc_test_', region),
    sdkKey: firstKey('BOOTSTRAP_SDK_KEY', text('BOOTSTRAP_SDK_KEY'), SDK_PREFIXES, region),
  };
}

function appName(value: string | null): string | null {
  if (value !== null && [...value].length > MAX_APP_NAME_CHARACTERS)
    refuse('BOOTSTRAP_APP_NAME', `must be at most ${MAX_APP_NAME_CHARACTERS} characters`);
  return value;
}

const SDK_PREFIXES = ['svc_live_pub_', 'svc_test_pub_'];

function firstSecretKey(name: string, value: string | null, prefix: string, region: Region): string | null {
  if (value?.startsWith(`${prefix}pub_`))
    refuse(name, `must not be a publishable key, which is part of the app: leave out pub_`);
  return firstKey(name, value, [prefix], region);
}

function firstKey(
  name: string,
  value: string | null,
  prefixes: readonly string[],
  region: Region,
): string | null {
  if (value === null) return null;
  const prefix = prefixes.find((start) => value.startsWith(start));
  const match = /^(?:(us|eu)_)?[A-Za-z0-9_-]{16,200}$/.exec(value.slice(prefix?.length));
  if (prefix === undefined || match === null)
    refuse(name, `must start with ${prefixes.join(' or ')}, followed by 16 to 200 of A-Z a-z 0-9 - _`);
  const keyRegion = match[1];
  if (keyRegion !== undefined && keyRegion !== region)
    refuse(name, `is a key of region ${keyRegion}, but REGION is ${region}`);
  return value;
}
