import type { DeepLink, Throughline } from '@throughline/core';

/** The newest link of a client, in the form of `useSyncExternalStore`. Listens while it has subscribers. */
export interface LatestLink {
  get(): DeepLink | null;
  subscribe(onChange: () => void): () => void;
}

export function createLatestLink(client: Throughline): LatestLink {
  const subscribers = new Set<() => void>();
  let latest: DeepLink | null = null;
  let stop = () => {};
  return {
    get: () => latest,
    subscribe(onChange) {
      if (subscribers.size === 0)
        stop = client.onDeepLink((link) => {
          latest = link;
          for (const subscriber of subscribers) subscriber();
        });
      subscribers.add(onChange);
      return () => {
        subscribers.delete(onChange);
        if (subscribers.size === 0) stop();
      };
    },
  };
}
