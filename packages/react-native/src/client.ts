import {
  type Config as CoreConfig,
  createThroughline as createCore,
  type Fingerprint,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { Platform } from 'react-native';
import { absences } from './absences.ts';
import { adPortsOf } from './ads.ts';
import { withAppState } from './app-state.ts';
import { createOnComputer, ON_COMPUTER } from './computer.ts';
import { phoneOf, readDevice } from './device.ts';
import { existingUserOf } from './existing-user.ts';
import { appLinks } from './links.ts';
import { findModules, type Modules } from './modules.ts';
import { referrerOf } from './referrer.ts';
import { storageOf } from './storage.ts';
import { VERSION } from './version.ts';

export interface Config extends CoreConfig {
  /** The app's number in Meta's dashboard: with it the install carries what Meta's apps on Android tell, by `@throughline/react-native-ads`. */
  readonly facebookAppId?: string | undefined;
}

/**
 * Creates the client of an app, with ports over the installed modules. Create one for the whole app, outside
 * of components. Names each missing module once, in the log, with what its absence costs.
 * @param ports replace the ones of the phone.
 * @throws TypeError for a `baseUrl` that is no HTTP URL, or without a key.
 */
export function createThroughline(config: Config, ports: Ports = {}): Throughline {
  const modules = findModules();
  const platform = phoneOf();
  const sdk = `throughline-react-native/${VERSION}`;
  const links = withAppState(ports.links ?? appLinks(modules), () => void client.flush());
  const client: Throughline =
    platform === null
      ? createOnComputer(config, { sdk, ...ports, links })
      : createCore(config, {
          ...portsOfPhone(modules, platform),
          ...adPortsOf(modules, config.facebookAppId),
          ...{ sdk, ...ports, links },
        });
  const messages = platform === null ? [ON_COMPUTER] : absences(modules, { os: Platform.OS, config, ports });
  for (const message of messages) warn(config, message);
  return client;
}

function portsOfPhone(modules: Modules, platform: Fingerprint['platform']): Ports {
  const storage = storageOf(modules);
  const referrer = referrerOf(modules);
  const isExistingUser = existingUserOf(modules);
  return {
    device: async () => readDevice(modules, platform),
    ...(storage !== null && { storage }),
    ...(referrer !== null && { referrer }),
    ...(isExistingUser !== null && { isExistingUser }),
  };
}

function warn({ onLog }: Config, message: string): void {
  if (onLog === undefined) console.warn(`Throughline: ${message}`);
  else onLog({ level: 'warn', message });
}
