import {
  type Config as CoreConfig,
  createThroughline as createCore,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { Platform } from 'react-native';
import { absences } from './absences.ts';
import { adPortsOf } from './ads.ts';
import { withAppState } from './app-state.ts';
import { readDevice } from './device.ts';
import { existingUserOf } from './existing-user.ts';
import { appLinks } from './links.ts';
import { findModules, type Modules } from './modules.ts';
import { referrerOf } from './referrer.ts';
import { storageOf } from './storage.ts';
import { VERSION } from './version.ts';

export interface Config extends CoreConfig {
  /** Of the app at Meta: by it Meta's apps on Android tell their referrer. Needs `@throughline/react-native-ads`. */
  readonly metaAppId?: string | undefined;
}

/**
 * Creates the client of an app, with ports over the installed modules. Create one for the whole app, outside
 * of components. Names each missing module once, in the log, with what its absence costs.
 * @param ports replace the ones of the phone.
 * @throws TypeError for a `baseUrl` that is no HTTP URL, or without a key.
 */
export function createThroughline(config: Config, ports: Ports = {}): Throughline {
  const modules = findModules();
  const { links = appLinks(modules), ...rest } = ports;
  const client: Throughline = createCore(config, {
    ...portsOfPhone(modules),
    ...adPortsOf(modules, config.metaAppId),
    sdk: `throughline-react-native/${VERSION}`,
    ...rest,
    links: withAppState(links, () => void client.flush()),
  });
  for (const message of absences(modules, { os: Platform.OS, config, ports })) warn(config, message);
  return client;
}

function portsOfPhone(modules: Modules): Ports {
  const storage = storageOf(modules);
  const referrer = referrerOf(modules);
  const isExistingUser = existingUserOf(modules);
  return {
    device: async () => readDevice(modules),
    ...(storage !== null && { storage }),
    ...(referrer !== null && { referrer }),
    ...(isExistingUser !== null && { isExistingUser }),
  };
}

function warn({ onLog }: Config, message: string): void {
  if (onLog === undefined) console.warn(`Throughline: ${message}`);
  else onLog({ level: 'warn', message });
}
