import type { LinkSource } from '@throughline/core';
import { Linking } from 'react-native';

/**
 * Universal Links, App Links and the app's own scheme. There is no `launchId`: no value of React Native differs in each
 * process and survives a reload of the JavaScript (`rnStartupTiming.startTime` is set anew at each).
 */
export function appLinks(): LinkSource {
  return {
    // Undefined in apps’ tests, by React Native’s own mock.
    initial: async () => (await Linking.getInitialURL()) ?? null,
    subscribe(listener) {
      const subscription = Linking.addEventListener('url', ({ url }) => listener(url));
      return () => subscription.remove();
    },
  };
}
