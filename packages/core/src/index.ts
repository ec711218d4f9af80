export { createThroughline } from './client.ts';
export { LinkError } from './link-error.ts';
export type {
  Attribution,
  Config,
  Consent,
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
  Method,
  NewLink,
  Ports,
  Revenue,
  StoreReferrer,
  Throughline,
} from './types.ts';
