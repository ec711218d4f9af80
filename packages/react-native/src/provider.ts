import type { DeepLink, Throughline } from '@throughline/core';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Config, createThroughline } from './client.ts';
import { createLatestLink, type LatestLink } from './latest-link.ts';

interface Shared {
  readonly client: Throughline;
  readonly latest: LatestLink;
}

const Context = createContext<Shared | null>(null);

export type ThroughlineProviderProps = {
  readonly children?: ReactNode;
} & (
  | { readonly client: Throughline; readonly config?: undefined }
  | { readonly client?: undefined; readonly config: Config }
);

/**
 * Starts a client and gives it to the hooks below. With `config` it creates the client at its first rendering; later
 * changes of either prop have no effect.
 */
export function ThroughlineProvider({ client, config, children }: ThroughlineProviderProps): ReactElement {
  const [shared] = useState<Shared>(() => {
    const own = client ?? createThroughline(config);
    return { client: own, latest: createLatestLink(own) };
  });
  useEffect(() => {
    void shared.client.start();
  }, [shared]);
  return createElement(Context.Provider, { value: shared }, children);
}

/** @throws Error outside of a `ThroughlineProvider`. */
export function useThroughline(): Throughline {
  return useShared().client;
}

/**
 * The newest link that opened the app, or the deferred link of the install; null until there is one.
 * @param onLink receives every link once, while the component is mounted.
 */
export function useDeepLink(onLink?: (link: DeepLink) => void): DeepLink | null {
  const { client, latest } = useShared();
  const handler = useRef(onLink);
  useEffect(() => {
    handler.current = onLink;
  });
  const hasHandler = onLink !== undefined;
  useEffect(
    () => (hasHandler ? client.onDeepLink((link) => handler.current?.(link)) : undefined),
    [client, hasHandler],
  );
  return useSyncExternalStore(latest.subscribe, latest.get, latest.get);
}

function useShared(): Shared {
  const shared = useContext(Context);
  if (shared === null) throw new Error('Throughline: put a ThroughlineProvider above this component.');
  return shared;
}
