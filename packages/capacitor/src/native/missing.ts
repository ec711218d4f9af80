import { type Config, createThroughline as createCore, type Throughline } from '@throughline/core';
import { logOf } from './log.ts';

/**
 * For a build of the app that is older than its pages, as with live updates: links are resolved, and nothing is recorded, so
 * that the install is new to the build that has the native half.
 */
export function createMissing(config: Config): Throughline {
  logOf(config)(
    'error',
    'This build of the app has no native half of @throughline/capacitor: run `npx cap sync` and build it again. Links are resolved, and nothing is recorded',
  );
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  };
  const client = createCore({ ...config, consent: 'denied' }, { storage });
  return { ...client, setConsent: async () => {} };
}
