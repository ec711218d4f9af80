import type { LinkSource } from '@throughline/core';
import { Linking } from 'react-native';
import { launchIdOf } from './launch.ts';
import type { Modules } from './modules.ts';

/** Universal Links, App Links and the app's own scheme. */
export function appLinks(modules: Modules): LinkSource {
  const launchId = launchIdOf(modules);
  return {
    // Undefined in apps’ tests, by React Native’s own mock.
    initial: async () => (await Linking.getInitialURL()) ?? null,
    subscribe(listener) {
      const subscription = Linking.addEventListener('url', ({ url }) => listener(url));
      return () => subscription.remove();
    },
    launchId: () => launchId,
  };
}
