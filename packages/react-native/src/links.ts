import type { LinkSource } from '@throughline/core';
import { Linking } from 'react-native';
import { LAUNCH_ID } from './launch.ts';

/** Universal Links, App Links and the app's own scheme. */
export function appLinks(): LinkSource {
  return {
    // Undefined in apps’ tests, by React Native’s own mock.
    initial: async () => (await Linking.getInitialURL()) ?? null,
    subscribe(listener) {
      const subscription = Linking.addEventListener('url', ({ url }) => listener(url));
      return () => subscription.remove();
    },
    launchId: () => LAUNCH_ID,
  };
}
