import { Capacitor } from '@capacitor/core';
import {
  type Config,
  createThroughline as createCore,
  type Ports,
  type Throughline,
} from '@throughline/core';
import { memory } from './links-only.ts';
import { createNative } from './native/client.ts';
import { createMissing } from './native/missing.ts';
import { PLUGIN_NAME } from './native/plugin.ts';
import { createWeb } from './web/client.ts';

/** Core's, and what phones have beside. */
export interface CapacitorConfig extends Config {
  /** Android: the app's number in Meta's dashboard, by which the install carries what Meta's apps tell about their ads. */
  readonly facebookAppId?: string | undefined;
  /** iOS: false leaves the token of Apple's AdServices out of the install. Default: true. */
  readonly appleAdsToken?: boolean | undefined;
  /** iOS: false leaves Apple's conversion values alone. Default: true; without a schema of the app none is set. */
  readonly conversionValues?: boolean | undefined;
}

/**
 * Creates the client of an app: on phones over the native client, elsewhere over core. Create one for the whole app.
 * @param ports replace the ones of the browser. On phones the native client has its own, and asks `isExistingUser` alone.
 * @throws TypeError for a `baseUrl` that is no HTTP URL, without a key, and for an unknown `consent`.
 */
export function createThroughline(config: CapacitorConfig, ports: Ports = {}): Throughline {
  if (!Capacitor.isNativePlatform()) return createWeb(config, ports);
  // Throws what core throws; it starts nothing, and the native client says the rest.
  const rules = createCore({ ...config, onLog: () => {} }, { storage: memory() });
  return Capacitor.isPluginAvailable(PLUGIN_NAME)
    ? createNative(config, ports, rules)
    : createMissing(config);
}
