/** A person with data in every kind of record, and the helpers to erase it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Service } from '../../src/app.ts';
import { isoTime } from '../../src/lib/clock.ts';
import type { ErasureRequest } from '../../src/privacy/queries.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT } from './callers.ts';
import { waitFor } from './wait-for.ts';
import type { TestApp, World } from './world.ts';

export interface Person {
  readonly ipAddress: string;
  readonly userId: string;
  readonly installId: string;
}

/** Taps, installs, identifies, opens and buys, all from one new address. */
export async function newPerson(world: World, app: TestApp): Promise<Person> {
  const ipAddress = freshAddress();
  const userId = `user ${randomUUID()}`;
  const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
  await world.tap(shortCode, { from: ipAddress, userAgent: IPHONE });
  const sdk = async (path: string, body: object) =>
    (await world.call('POST', `/v1/sdk/${path}`, { key: app.keys.live_publishable, from: ipAddress, body }))
      .body;
  const fingerprint = { ...IPHONE_FINGERPRINT, userAgent: 'Shop/7 (iPhone)' };
  const { installId } = await sdk('install', { fingerprint });
  await sdk('identify', { installId, userId });
  await sdk('open', { fingerprint, installId, userId });
  await sdk('event', { installId, eventName: 'purchase', properties: { email: 'a@example.com' } });
  await world.service.clickLog.applied();
  return { ipAddress, userId, installId };
}

/** Requests erasure and waits until it is completed. */
export async function erase(world: World, app: TestApp, body: object): Promise<Record<string, unknown>[]> {
  const asked = await world.call('POST', '/v1/privacy/erase', { key: app.keys.live, body });
  assert.equal(asked.status, 202, asked.text);
  const completed = [];
  for (const id of asked.body.requestIds as string[])
    completed.push(
      await waitFor(`erasure ${id} is completed`, async () => {
        const { body: request } = await world.call('GET', `/v1/privacy/erase/${id}`, { key: app.keys.live });
        return request.status === 'completed' ? (request as Record<string, unknown>) : undefined;
      }),
    );
  return completed;
}

/** An app's records of one kind, oldest first. */
export async function rowsOf(
  world: World,
  app: TestApp,
  table: 'clicks' | 'installs' | 'events' | 'opens',
): Promise<Record<string, unknown>[]> {
  const { db } = world.service;
  return await db
    .selectFrom<'clicks' | 'installs' | 'events' | 'opens'>(table)
    .selectAll()
    .where('app_id', '=', app.id)
    .orderBy('id')
    .execute();
}

/** A request to erase a user, as it is stored before the service takes it. */
export function newErasureRequest(
  { ids, clock }: Pick<Service, 'ids' | 'clock'>,
  { id: appId }: Pick<TestApp, 'id'>,
  { userId, ipHash = null }: { userId: string; ipHash?: string | null },
): ErasureRequest {
  return {
    ...{ app_id: appId, id: ids.next(), sandbox: 0, ip_hash: ipHash, user_id: userId },
    ...{ requested_at: isoTime(clock.nowMs()), identifiers_found_at: null },
    ...{ scrubbed_at: null, completed_at: null, counts: '{}', spare_shared: 0, identifiers: null },
  };
}
