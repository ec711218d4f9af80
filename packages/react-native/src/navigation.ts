import type { Throughline } from '@throughline/core';
import { Linking } from 'react-native';
import { hrefOf } from './href.ts';

/** The scheme under which React Navigation gets the path of a link. */
const PREFIX = 'throughline://';
/** React Navigation renders its fallback meanwhile; a later link arrives while the app runs. */
const INITIAL_LINK_WAIT_MS = 2_000;
/** For containers without `onReady`. */
const READY_AFTER_MS = 3_000;

interface Linked {
  readonly prefixes: string[];
  getInitialURL(): Promise<string | null>;
  subscribe(listener: (url: string) => void): () => void;
  /** For the container, which loses links that arrive before its first screen. */
  onReady(): void;
}

/**
 * The `linking` of React Navigation's `NavigationContainer`. Links, the deferred one too, become the path that the service
 * names; other URLs, such as of the app's own scheme, pass unchanged. Create it once, outside of components, and pass its
 * `onReady` to the container too.
 * @param options those of React Navigation, such as `config` with the screens, and `prefixes` of other URLs.
 */
export function createLinking<const Options extends { readonly prefixes?: string[] }>(
  client: Throughline,
  options: Options,
): Omit<Options, 'prefixes'> & Linked {
  const inbox = createInbox(client);
  /** Of the last URL with a link: core delivers its link once, and a container may be mounted again. */
  let opened: { readonly url: string; readonly path: Promise<string | null> } | null = null;
  let initial: Promise<string | null> = Promise.resolve(null);
  let isReady = false;
  let whenReady = () => {};

  async function readInitial(): Promise<string | null> {
    // Undefined in apps’ tests, by React Native’s own mock.
    const url = (await Linking.getInitialURL().catch(() => null)) ?? null;
    if (url === null || !client.isLink(url)) return url;
    if (opened?.url !== url) opened = { url, path: firstLink(inbox) };
    return await opened.path;
  }

  return {
    ...options,
    prefixes: [PREFIX, ...(options.prefixes ?? [])],
    getInitialURL() {
      initial = readInitial();
      return initial;
    },
    subscribe(listener) {
      inbox.open();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const begin = () => {
        clearTimeout(timer);
        void initial.then(() => inbox.setListener(listener));
      };
      if (isReady) begin();
      else timer = setTimeout(begin, READY_AFTER_MS);
      whenReady = begin;
      const subscription = Linking.addEventListener('url', ({ url }) => {
        if (!client.isLink(url)) listener(url);
      });
      return () => {
        clearTimeout(timer);
        isReady = false;
        whenReady = () => {};
        inbox.removeListener(listener);
        subscription.remove();
      };
    },
    onReady() {
      isReady = true;
      whenReady();
    },
  };
}

function firstLink(inbox: Inbox): Promise<string | null> {
  inbox.open();
  return new Promise((resolve) => {
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
