import type { Throughline } from '@throughline/core';
import { Linking } from 'react-native';
import { hrefOf } from './href.ts';

/** The scheme under which React Navigation gets the path of a link. */
const PREFIX = 'throughline://';
/** React Navigation renders its fallback meanwhile; a later link arrives while the app runs. */
const INITIAL_LINK_WAIT_MS = 2_000;

export interface Linked {
  readonly prefixes: string[];
  getInitialURL(): Promise<string | null>;
  subscribe(listener: (url: string) => void): () => void;
}

/**
 * The `linking` of React Navigation's `NavigationContainer`. Links, the deferred one too, become the path that the service
 * names; other URLs, such as of the app's own scheme, pass unchanged. Create it once, outside of components.
 * @param options those of React Navigation, such as `config` with the screens, and `prefixes` of other URLs.
 */
export function createLinking<const Options extends { readonly prefixes?: string[] }>(
  client: Throughline,
  options: Options,
): Omit<Options, 'prefixes'> & Linked {
  const inbox = createInbox(client);
  let initial: Promise<string | null> | null = null;
  return {
    ...options,
    prefixes: [PREFIX, ...(options.prefixes ?? [])],
    getInitialURL() {
      initial ??= readInitial(client, inbox);
      return initial;
    },
    subscribe(listener) {
      let isActive = true;
      inbox.open();
      // A link that arrives before the first screen would be lost.
      void (initial ?? Promise.resolve()).then(() =>
        setTimeout(() => {
          if (isActive) inbox.setListener(listener);
        }, 0),
      );
      const subscription = Linking.addEventListener('url', ({ url }) => {
        if (!client.isLink(url)) listener(url);
      });
      return () => {
        isActive = false;
        inbox.removeListener(listener);
        subscription.remove();
      };
    },
  };
}

async function readInitial(client: Throughline, inbox: Inbox): Promise<string | null> {
  const url = await Linking.getInitialURL();
  if (url === null || !client.isLink(url)) return url;
  inbox.open();
  return await new Promise((resolve) => {
    const take = (link: string | null) => {
      clearTimeout(timer);
      inbox.removeListener(take);
      resolve(link);
    };
    const timer = setTimeout(take, INITIAL_LINK_WAIT_MS, null);
    inbox.setListener(take);
  });
}

/** Keeps links until there is a listener for them. */
type Inbox = ReturnType<typeof createInbox>;

function createInbox(client: Throughline) {
  const waiting: string[] = [];
  let deliver: ((url: string) => void) | null = null;
  let isOpen = false;
  function flush(): void {
    while (deliver !== null && waiting.length > 0) deliver(waiting.shift() ?? '');
  }
  return {
    open() {
      if (!isOpen)
        client.onDeepLink((link) => {
          waiting.push(PREFIX + hrefOf(link).replace(/^\/+/, ''));
          flush();
        });
      isOpen = true;
    },
    setListener(listener: (url: string) => void) {
      deliver = listener;
      flush();
    },
    removeListener(listener: (url: string) => void) {
      if (deliver === listener) deliver = null;
    },
  };
}
