export type {
  Attribution,
  Config,
  Consent,
  DeepLink,
  Explanation,
  Fetch,
  Fingerprint,
  HttpResponse,
  JsonObject,
  JsonValue,
  KeyValueStorage,
  LinkSource,
  LogEntry,
  Method,
  Ports,
  Revenue,
  StoreReferrer,
  Throughline,
} from '@throughline/core';
export { createThroughline } from './client.ts';
export { hrefOf } from './href.ts';
export { createNativeIntent } from './native-intent.ts';
export { createLinking } from './navigation.ts';
export { PasteLinkButton, type PasteLinkButtonProps } from './paste-link-button.ts';
export {
  ThroughlineProvider,
  type ThroughlineProviderProps,
  useDeepLink,
  useThroughline,
} from './provider.ts';
