/** Webhooks, and a trigger for each event. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { receiverOf } from '../../src/webhooks/attempts/receiver.ts';
import { freshAddress, IPHONE_FINGERPRINT } from './callers.ts';
import { WINNING_POSTBACK } from './postbacks.ts';
import { waitFor } from './wait-for.ts';
import type { TestApp, World } from './world.ts';

export const SECRET = 'a signing secret';
const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

interface WebhookBody {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Creates a webhook, by default for all events. */
export async function newWebhook(
  world: World,
  app: TestApp,
  fields: Record<string, unknown>,
  key = app.keys.live,
): Promise<WebhookBody> {
  const body = { secret: SECRET, ...fields };
  const answer = await world.call('POST', '/v1/webhooks', { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** The attempts of one webhook, newest first. */
export async function deliveriesOf(
  world: World,
  app: TestApp,
  webhookId: string,
): Promise<Record<string, unknown>[]> {
  const path = `/v1/webhooks/deliveries?webhook_id=${webhookId}&limit=100`;
  const answer = await world.call('GET', path, { key: app.keys.live });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Of an attempt, and less than its lease. */
const TIMEOUT_MS = 10_000;
/** Later retries have no timer. */
const MAX_TIMER_MS = 60_000;

interface Passing {
  /** Webhooks whose receivers never answer, and how many requests these leave open. */
  readonly hanging?: { readonly webhookIds: readonly string[]; readonly open: () => Promise<number> };
  /** Ends the passing before nothing waits. */
  readonly until?: () => Promise<boolean>;
}

/**
 * Moves the clock to each next attempt for the webhooks until none waits, and past the timeout of those that hang: a test
 * waits for its receivers, not for time.
 */
export async function passAttempts(
  { service, clock }: World,
  webhookIds: readonly string[],
  { hanging, until = async () => false }: Passing = {},
): Promise<void> {
  const { db } = service;
  const rows = await db.selectFrom('webhooks').selectAll().where('id', 'in', webhookIds).execute();
  const receiverOfWebhook = new Map(rows.map((webhook) => [webhook.id, receiverOf(webhook).id]));
  const timedOut = new Set<string>();
  const step = async () => {
    // First: an attempt that begins between the two reads is seen in flight.
    const holds = await db.selectFrom('webhook_receivers').select(['id', 'next_attempt_at']).execute();
    const queued = await db
      .selectFrom('webhook_queue')
      .select(['app_id', 'id', 'webhook_id', 'status', 'next_attempt_at'])
      .where('webhook_id', 'in', webhookIds)
      .execute();
    if (queued.length === 0 || (await until())) return true;
    const inFlight = queued.filter(({ status, id }) => status === 1 && !timedOut.has(id));
    // Others have an answer that is not recorded yet, or are due and may begin before the clock moves.
    const isHung =
      inFlight.every(({ webhook_id: id }) => hanging?.webhookIds.includes(id)) &&
      queued.every(({ status, next_attempt_at: at }) => status === 1 || Date.parse(at) > clock.nowMs());
    if (inFlight.length > 0 && isHung && inFlight.length <= ((await hanging?.open()) ?? 0)) {
      for (const { id } of inFlight) timedOut.add(id);
      clock.advance(TIMEOUT_MS);
    }
    if (queued.some(({ status }) => status === 1)) return undefined;
    const heldUntil = new Map(holds.map(({ id, next_attempt_at: at }) => [id, Date.parse(at)]));
    const startsMs = queued.map(({ webhook_id: id, next_attempt_at: at }) =>
      Math.max(Date.parse(at), heldUntil.get(receiverOfWebhook.get(id) ?? '') ?? 0),
    );
    const waitMs = Math.min(...startsMs) - clock.nowMs();
    if (waitMs > 0) clock.advance(waitMs + 1);
    // Those are found by the next poll.
    if (waitMs > MAX_TIMER_MS) service.dispatcher.wake(queued);
    return undefined;
  };
  await waitFor('all attempts', step, { everyMs: 5 });
}

/** The events triggered by something other than the endpoint of `test.webhook`. */
export const CAUSED_EVENTS = [
  'install.attributed',
  'install.organic',
  'install.network_attributed',
  'open.attributed',
  'open.direct',
  'event.recorded',
  'skan.postback_received',
] as const;
export type CausedEvent = (typeof CAUSED_EVENTS)[number];

type Cause = (world: World, app: TestApp) => Promise<Record<string, unknown>>;

async function clicked(world: World, app: TestApp) {
  const fields = { ...PLAY, campaignId: 'spring', deepLinkPath: '/product/7', deepLinkParams: { id: 7 } };
  const { shortCode } = await world.newLink(app, fields);
  return { shortCode, clickId: await world.clickId(shortCode, { from: freshAddress() }) };
}

async function sdk(world: World, app: TestApp, path: string, body: object) {
  const call = { key: app.keys.live_publishable, from: freshAddress(), body };
  return (await world.call('POST', `/v1/sdk/${path}`, call)).body as Record<string, unknown>;
}

/** Triggers each event once and returns the response, with the short code if there is a link. */
export const CAUSES: Record<CausedEvent, Cause> = {
  'install.organic': (world, app) => sdk(world, app, 'install', { fingerprint: IPHONE_FINGERPRINT }),
  'install.network_attributed': (world, app) =>
    sdk(world, app, 'install', {
      fingerprint: { platform: 'ANDROID' },
      installReferrer: `gclid=${randomUUID()}`,
    }),
  'install.attributed': async (world, app) => {
    const { shortCode, clickId } = await clicked(world, app);
    const body = { clickId, fingerprint: { platform: 'ANDROID' } };
    return { ...(await sdk(world, app, 'install', body)), shortCode };
  },
  'open.attributed': async (world, app) => {
    const { shortCode, clickId } = await clicked(world, app);
    const body = { clickId, fingerprint: { platform: 'ANDROID' } };
    return { ...(await sdk(world, app, 'open', body)), shortCode };
  },
  'open.direct': async (world, app) => {
    const { shortCode } = await clicked(world, app);
    const { installId } = await sdk(world, app, 'install', { fingerprint: { platform: 'ANDROID' } });
    const body = { shortCode, openId: randomUUID(), installId, fingerprint: { platform: 'ANDROID' } };
    return { ...(await sdk(world, app, 'resolve', body)), installId };
  },
  'event.recorded': async (world, app) => {
    const { installId } = await sdk(world, app, 'install', { fingerprint: IPHONE_FINGERPRINT });
    await sdk(world, app, 'identify', { installId, userId: 'u1' });
    const event = { installId, eventName: 'purchase', properties: { price: 9.5, item: 'shoes' } };
    return { ...(await sdk(world, app, 'event', event)), installId };
  },
  // The app must have the App Store id of the postback.
  'skan.postback_received': async (world) => {
    const path = '/.well-known/skadnetwork/report-attribution';
    const { status } = await world.call('POST', path, { body: WINNING_POSTBACK });
    assert.equal(status, 200);
    return WINNING_POSTBACK;
  },
};
