export { createThroughline } from './client.ts';
export { LinkError } from './link-error.ts';
export { StandardEvent } from './standard-events.ts';
export type {
  Attribution,
  Config,
  Consent,
  ConversionValue,
  CreatedLink,
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
  MetaReferrer,
  Method,
  NewLink,
  Ports,
  Revenue,
  StoreReferrer,
  Throughline,
} from './types.ts';
