/**
 * React Native for the tests: a stub with the installed modules that a test names. The package is imported here, after the
 * hooks that put the stub in its place.
 */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import type { Throughline } from '@throughline/core';
import { transformSync } from 'rolldown/experimental';

/** What a test may change. */
export const phone = {
  os: 'ios',
  version: '26.1' as string | number,
  constants: {} as object,
  screen: { width: 393, height: 852 },
  pixelRatio: 3,
  initialUrl: null as string | null,
  urlListeners: new Set<(event: { url: string }) => void>(),
  stateListeners: new Set<(state: string) => void>(),
  installed: new Map<string, object>(),
  /** What the share sheet was opened with. */
  shared: [] as { readonly content: object; readonly options: object }[],
  /** What the person does with it. */
  onShare: (): object | undefined => ({ action: 'sharedAction' }),
};

/** Sets a phone without modules. */
export function newPhone(change: Partial<typeof phone> = {}): void {
  phone.urlListeners.clear();
  phone.stateListeners.clear();
  Object.assign(phone, {
    ...{ os: 'ios', version: '26.1', constants: {}, screen: { width: 393, height: 852 }, pixelRatio: 3 },
    ...{ initialUrl: null, installed: new Map() },
    ...{ shared: [], onShare: () => ({ action: 'sharedAction' }) },
    ...change,
  });
}

export const ASYNC_STORAGE = '@react-native-async-storage/async-storage';

/** The module of an app, over a phone's own values. */
export function asyncStorage(stored = new Map<string, string>()) {
  return {
    default: {
      getItem: async (key: string) => stored.get(key) ?? null,
      setItem: async (key: string, value: string) => void stored.set(key, value),
      removeItem: async (key: string) => void stored.delete(key),
      getAllKeys: async () => [...stored.keys()],
    },
  };
}

export function receiveUrl(url: string): void {
  for (const listener of [...phone.urlListeners]) listener({ url });
}

export function changeState(state: string): void {
  for (const listener of [...phone.stateListeners]) listener(state);
}

function subscribe<T>(listeners: Set<T>, listener: T): { remove(): void } {
  listeners.add(listener);
  return { remove: () => listeners.delete(listener) };
}

const reactNative = {
  Platform: {
    get OS() {
      return phone.os;
    },
    get Version() {
      return phone.version;
    },
    get constants() {
      return phone.constants;
    },
  },
  PixelRatio: { get: () => phone.pixelRatio },
  Dimensions: { get: () => phone.screen },
  AppState: {
    addEventListener: (_type: string, listener: (state: string) => void) =>
      subscribe(phone.stateListeners, listener),
  },
  Share: {
    async share(content: object, options: object) {
      phone.shared.push({ content, options });
      return phone.onShare();
    },
  },
  ...{ Button: 'Button', Text: 'Text', View: 'View', StyleSheet: { create: (styles: object) => styles } },
  Linking: {
    getInitialURL: async () => phone.initialUrl,
    addEventListener: (_type: string, listener: (event: { url: string }) => void) =>
      subscribe(phone.urlListeners, listener),
  },
};

const CORE = new URL('../../core/src/index.ts', import.meta.url).href;
const LIBRARY = new URL('../src/index.ts', import.meta.url).href;
const STUB = 'throughlineReactNative';
/** Of a module of an app: a new one is a new start of the app. */
const START = /\?start=\d+$/;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@throughline/core') return next(CORE, context);
    if (specifier === '@throughline/react-native') return { url: LIBRARY, shortCircuit: true };
    if (specifier === 'react-native') return { url: 'stub:react-native', shortCircuit: true };
    // The example has one of its own once it is installed.
    if (/^react(\/|$)/.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
    const start = START.exec(context.parentURL ?? '')?.[0];
    return start === undefined || !specifier.startsWith('.')
      ? next(specifier, context)
      : { url: new URL(`${specifier}.ts${start}`, context.parentURL).href, shortCircuit: true };
  },
  load(url, context, next) {
    // Node strips types, but reads no JSX.
    if (url.replace(START, '').endsWith('.tsx')) {
      const { code } = transformSync('App.tsx', readFileSync(new URL(url.replace(START, '')), 'utf8'));
      return { format: 'module', source: code, shortCircuit: true };
    }
    if (url !== 'stub:react-native') return next(url, context);
    const source = Object.keys(reactNative).map((name) => `export const { ${name} } = globalThis.${STUB};`);
    return { format: 'module', source: source.join('\n'), shortCircuit: true };
  },
});
Object.assign(globalThis, {
  [STUB]: reactNative,
  // Metro gives one to every module.
  require(name: string): object {
    const found = phone.installed.get(name);
    if (found === undefined) throw new Error(`Requiring unknown module "${name}".`);
    return found;
  },
  IS_REACT_ACT_ENVIRONMENT: true,
});

export const library = await import('../src/index.ts');
interface AppConfig {
  readonly ios?: { readonly infoPlist?: Readonly<Record<string, unknown>> };
  readonly android?: { readonly intentFilters?: readonly { readonly data?: object }[] };
}
export const plugin: (config: object, options?: object) => AppConfig = createRequire(import.meta.url)(
  '../app.plugin.js',
);

export const BASE_URL = 'https://go.example.com';
export const LINK = `${BASE_URL}/l/spring`;
const ANSWER = {
  ...{ deepLinkPath: '/shoes/42', deepLinkParams: { size: 43 }, isDeferred: false, campaignId: 'spring' },
};

export const MADE = { shortCode: 'Ab3dEf6hJk9m', shortUrl: `${BASE_URL}/l/Ab3dEf6hJk9m` };

const NO_WINDOWS = [0, 1, 2].map(() => ({ fine: [], coarse: { low: null, medium: null, high: null } }));

/** A client of a service that knows `LINK`, whose installs bring `deferred`. */
export function createClient({
  deferred = null,
  answers = true,
  installs = [],
  opens = [],
  method = 'FINGERPRINT',
  ports = {},
  log = [],
  config = {},
  answerAfterMs = 0,
  windows = NO_WINDOWS,
}: {
  deferred?: object | null;
  answers?: boolean;
  installs?: Record<string, unknown>[];
  /** Receives what records opens of links. */
  opens?: Record<string, unknown>[];
  method?: string;
  ports?: object;
  log?: string[];
  config?: object;
  answerAfterMs?: number;
  /** Of the schema of conversion values. */
  windows?: readonly object[];
} = {}): Throughline {
  const fetch = async (url: string, { body = '{}' }: { body?: string }) => {
    if (answerAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, answerAfterMs));
    if (!answers) throw new TypeError('Network request failed');
    const path = url.slice(BASE_URL.length);
    if (path === '/v1/sdk/install') installs.push(JSON.parse(body) as Record<string, unknown>);
    if (path === '/v1/sdk/resolve' && body.includes('openId'))
      opens.push(JSON.parse(body) as Record<string, unknown>);
    const isUnknown = path === '/v1/sdk/resolve' && body.includes('/l/unknown');
    const answer =
      path === '/v1/sdk/install' || path === '/v1/sdk/open'
        ? {
            ...{ attributed: deferred !== null, method, installId: 'a', clickId: null },
            ...{ campaignId: null, confidence: '0.9', deepLinkPayload: deferred, metadata: {} },
          }
        : path === '/v1/sdk/events'
          ? { results: (JSON.parse(body) as { events: object[] }).events.map(() => ({ status: 201 })) }
          : path === '/v1/sdk/links'
            ? MADE
            : path === '/v1/sdk/conversion-schema'
              ? { windows }
              : ANSWER;
    const status = isUnknown ? 404 : 200;
    const text = JSON.stringify(isUnknown ? { error: 'There is no link.' } : answer);
    const headers = new Headers(isUnknown ? { 'x-service-error': 'link.not_found' } : {});
    return { status, headers, text: async () => text };
  };
  const onLog = ({ level, message }: { level: string; message: string }) => {
    if (level !== 'debug') log.push(message);
  };
  return library.createThroughline(
    { baseUrl: BASE_URL, key: 'svc_live_pub_us_0123456789abcdef', onLog, ...config },
    { fetch, ...ports },
  );
}
