/** Apps with postbacks, and their webhooks. */
import assert from 'node:assert/strict';
import { freshAddress } from './callers.ts';
import type { Engine } from './engines.ts';
import { LOCAL_KEYS } from './local-keys.ts';
import { RECEIVER_ENV } from './webhook-receiver.ts';
import { newWebhook } from './webhooks.ts';
import { type Answer, type TestApp, useWorld, type World } from './world.ts';

export const SKADNETWORK_PATH = '/.well-known/skadnetwork/report-attribution';
export const ADATTRIBUTIONKIT_PATH = '/.well-known/appattribution/report-attribution';

let lastStoreId = 600_000_000;
export function newStoreId(): number {
  lastStoreId += 1;
  return lastStoreId;
}

/** A service that accepts the generated keys instead of Apple's. */
export function useLocalKeys(engine: Engine): World {
  return useWorld(engine, RECEIVER_ENV, { appleKeys: LOCAL_KEYS });
}

export interface StoreApp extends TestApp {
  readonly storeId: number;
}

/** An app with an App Store ID and a webhook whose messages can be counted, although its URL has no listener. */
export async function newStoreApp(world: World, storeId = newStoreId()): Promise<StoreApp> {
  const app = await world.newApp({ name: 'Shoe shop', iosAppStoreId: String(storeId) });
  await newWebhook(world, app, { url: 'http://127.0.0.1:9/', events: ['skan.postback_received'] });
  return { ...app, storeId };
}

/** Sends a postback as a phone does. */
export async function send(
  world: World,
  body: Record<string, unknown>,
  path = 'jws-string' in body ? ADATTRIBUTIONKIT_PATH : SKADNETWORK_PATH,
): Promise<Answer> {
  return await world.call('POST', path, { body, from: freshAddress() });
}

/** Webhook messages about an app's postbacks, oldest first. */
export async function toldOf(world: World, { id }: TestApp) {
  const messages = await world.service.db
    .selectFrom('webhook_messages')
    .select(['body', 'sandbox'])
    .where('app_id', '=', id)
    .where('event_type', '=', 'skan.postback_received')
    .orderBy('id')
    .execute();
  return messages.map(({ body, sandbox }) => ({
    sandbox,
    data: JSON.parse(body).data as Record<string, unknown>,
  }));
}

export async function list(world: World, key: string, query = ''): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await world.call('GET', `/v1/skan/postbacks${query}`, { key });
  assert.equal(status, 200, text);
  return body;
}

/** Unassigned postbacks as the operator sees them, newest first. */
export async function listStray(world: World): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await world.admin('GET', '/skan/postbacks?limit=100');
  assert.equal(status, 200, text);
  return body;
}
