import type { LinkSource } from '@throughline/core';
import { AppState } from 'react-native';

/** Flushes from the start of the client to its reset, which is while core is subscribed to links. */
export function withAppState(links: LinkSource, flush: () => void): LinkSource {
  return {
    ...links,
    subscribe(listener) {
      const unsubscribe = links.subscribe(listener);
      const subscription = AppState.addEventListener('change', (state) => {
        if (state === 'background' || state === 'active') flush();
      });
      return () => {
        subscription.remove();
        unsubscribe();
      };
    },
  };
}
