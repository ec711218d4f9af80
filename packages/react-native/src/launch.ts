import { Platform } from 'react-native';
import type { Modules } from './modules.ts';

/** Of this start of the JavaScript. */
const START_ID = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/**
 * Names this process of the app for core, so that further reports of the URL that started it are the same tap. Without a
 * module that knows the process, a reload of the JavaScript makes a new name: no value of React Native differs in each
 * process and survives a reload.
 */
export function launchIdOf({ ads, deviceInfo }: Pick<Modules, 'ads' | 'deviceInfo'>): string {
  try {
    if (ads !== null) return ads.launchId();
    // Android's is computed from two clocks, and differs between two calls.
    const startedAtMs = Platform.OS === 'ios' ? Number(deviceInfo?.getStartupTimeSync?.()) : 0;
    return startedAtMs > 0 ? String(startedAtMs) : START_ID;
  } catch {
    // JavaScript that was updated over the air, in an app whose native module lacks the method.
    return START_ID;
  }
}
