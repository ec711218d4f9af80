/** Every endpoint that needs an API key, and the kind of key. */
import type { TestApp } from './world.ts';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The path as written in the contract. */
  readonly title: string;
  /**
   * `live` requires the secret live key, `secret` a live or test key; `any` also accepts a publishable key, `test` test
   * keys only, publishable or not.
   */
  readonly opensWith: 'live' | 'secret' | 'any' | 'test';
}

/** An ID that no record has. */
export const NO_ID = '01900000-0000-7000-8000-000000000000';

const NO_CODE = 'no-such-code';

const secret = (method: Endpoint['method'], path: string): Endpoint => ({
  method,
  path,
  title: `${method} ${path.replace(NO_ID, '{id}').replace(NO_CODE, '{shortCode}')}`,
  opensWith: 'secret',
});
const live = (method: Endpoint['method'], path: string): Endpoint => ({
  ...secret(method, path),
  opensWith: 'live',
});
const sdk = (name: string): Endpoint => ({ ...secret('POST', `/v1/sdk/${name}`), opensWith: 'any' });

export const ENDPOINTS: readonly Endpoint[] = [
  secret('POST', '/v1/links'),
  secret('GET', '/v1/links'),
  secret('GET', `/v1/links/${NO_CODE}`),
  secret('PATCH', `/v1/links/${NO_CODE}`),
  secret('DELETE', `/v1/links/${NO_CODE}`),
  secret('GET', `/v1/links/${NO_CODE}/qr`),
  secret('POST', '/v1/imports'),
  secret('GET', '/v1/imports'),
  secret('GET', `/v1/imports/${NO_ID}`),
  secret('DELETE', `/v1/imports/${NO_ID}`),
  secret('GET', `/v1/imports/${NO_ID}/rows`),
  secret('GET', `/v1/imports/${NO_ID}/failures`),
  secret('GET', '/v1/fraud/links'),
  secret('POST', '/v1/privacy/erase'),
  secret('GET', '/v1/privacy/erase'),
  secret('GET', `/v1/privacy/erase/${NO_ID}`),
  secret('GET', '/v1/privacy/retention'),
  secret('POST', '/v1/privacy/export'),
  secret('POST', '/v1/destinations'),
  secret('GET', '/v1/destinations'),
  secret('GET', '/v1/destinations/types'),
  secret('GET', `/v1/destinations/${NO_ID}`),
  secret('PATCH', `/v1/destinations/${NO_ID}`),
  secret('DELETE', `/v1/destinations/${NO_ID}`),
  secret('POST', `/v1/destinations/${NO_ID}/preview`),
  secret('POST', `/v1/destinations/${NO_ID}/test`),
  secret('GET', `/v1/destinations/${NO_ID}/deliveries`),
  secret('POST', `/v1/destinations/${NO_ID}/recovery`),
  secret('POST', `/v1/destinations/deliveries/${NO_ID}/redelivery`),
  secret('GET', '/v1/hosts'),
  live('POST', '/v1/hosts/check'),
  secret('POST', '/v1/webhooks'),
  secret('GET', '/v1/webhooks'),
  secret('GET', `/v1/webhooks/${NO_ID}`),
  secret('PATCH', `/v1/webhooks/${NO_ID}`),
  secret('DELETE', `/v1/webhooks/${NO_ID}`),
  secret('GET', '/v1/webhooks/templates'),
  live('POST', `/v1/webhooks/${NO_ID}/test`),
  secret('POST', `/v1/webhooks/${NO_ID}/recovery`),
  live('GET', '/v1/webhooks/deliveries'),
  secret('POST', `/v1/webhooks/deliveries/${NO_ID}/redelivery`),
  secret('GET', '/v1/audit-log'),
  secret('POST', '/v1/costs'),
  secret('GET', '/v1/costs'),
  secret('DELETE', '/v1/costs'),
  secret('DELETE', `/v1/costs/${NO_ID}`),
  secret('POST', '/v1/skan/postbacks'),
  secret('GET', '/v1/skan/postbacks'),
  secret('GET', '/v1/skan/summary'),
  secret('GET', '/v1/skan/conversion-values'),
  live('PUT', '/v1/skan/conversion-values'),
  secret('GET', `/v1/installs/${NO_ID}`),
  secret('DELETE', `/v1/installs/${NO_ID}`),
  secret('POST', '/v1/installs/deletions'),
  sdk('install'),
  sdk('installs'),
  sdk('open'),
  sdk('opens'),
  sdk('event'),
  sdk('events'),
  sdk('identify'),
  sdk('resolve'),
  { ...secret('GET', '/v1/sdk/conversion-schema'), opensWith: 'any' },
  { ...secret('GET', `/v1/sdk/installs/${NO_ID}/explanation`), opensWith: 'test' },
];

/** A key that opens the endpoint. */
export function keyOf({ opensWith }: Endpoint, keys: TestApp['keys']): string {
  if (opensWith === 'test') return keys.test_publishable;
  return opensWith === 'any' ? keys.live_publishable : keys.live;
}

/** An empty object for methods with a body; most endpoints reject it after checking the key. */
export function emptyBody({ method }: Endpoint): object | undefined {
  return method === 'POST' || method === 'PATCH' || method === 'PUT' ? {} : undefined;
}
