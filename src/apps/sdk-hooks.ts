import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../lib/ids.ts';
import { SMALL_BODY_BYTES } from '../server/body-budget.ts';
import { type RateLimit, type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import type { Api } from '../server/server.ts';
import { perKey, requireKey } from './authenticate.ts';
import type { KeyRing } from './key-ring.ts';

const MIB = 1024 * 1024;
/** With a publishable key, by address: all phones share one key. */
const CALLS: RateLimit = { name: 'sdk', points: 600, shared: false, countedBy: 'address' };
/** With a secret key: a server sends the calls of many phones from one address. */
const SERVER_CALLS: RateLimit = { ...perKey('sdk-server', 6_000), shared: false };
/** Eight full batches of events. `CALLS` alone bounds small bodies, so they pass without bytes left. */
const BYTES = { name: 'sdk-bytes', points: 32 * MIB, shared: false };
/** A fifth of `CALLS`. */
const INSTALL_CALLS = { name: 'sdk-install', points: 120, shared: false };

/** Adds the hooks of `/v1/sdk/*`: authentication, then the limits per address and per install, or per secret key. */
export function addSdkHooks(
  api: Api,
  { keyRing, rateLimits }: { keyRing: KeyRing; rateLimits: RateLimits },
): void {
  api.addHook('onRequest', requireKey({ keyRing, rateLimits }, 'sdk'));
  api.addHook('onRequest', callLimit(rateLimits));
  api.addHook('onRequest', bytesLimit(rateLimits));
  api.addHook('preValidation', callsPerInstall(rateLimits));
}

function callLimit(rateLimits: RateLimits) {
  const ofPhones = rateLimits.hook(CALLS);
  const ofServers = rateLimits.hook(SERVER_CALLS);
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    (request.actor.publishable ? ofPhones : ofServers)(request, reply);
}

function bytesLimit(rateLimits: RateLimits) {
  const counter = rateLimits.counterOf(BYTES);
  async function spend(request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> {
    // The framework refuses such a body unread.
    const isTooLarge = bytes > (request.routeOptions.bodyLimit ?? 0);
    if (bytes <= SMALL_BODY_BYTES || isTooLarge) return;
    const caller = rateLimits.addressOf(request);
    const count = await counter.take(caller, bytes);
    if (!count?.isRefused) return;
    await counter.refund(caller, bytes);
    setRateLimitHeaders(reply, BYTES, count);
    throw rateLimited(
      count,
      'Too many bytes: at most 32 MiB a minute from one address in bodies above 16 KiB. Send less at once, or try again',
    );
  }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!request.actor.publishable) return;
    const announced = request.headers['content-length'];
    if (announced === undefined) request.spendBytes = (bytes) => spend(request, reply, bytes);
    else await spend(request, reply, Number(announced));
  };
}

/**
 * Refunds the call of a refused install to its address, which other phones share. Counted per address and install, so that
 * a forger at another address cannot use up an install's calls.
 */
function callsPerInstall(rateLimits: RateLimits) {
  const counter = rateLimits.counterOf(INSTALL_CALLS);
  const calls = rateLimits.counterOf(CALLS);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const installId = request.actor.publishable ? installIdIn(request.body) : null;
    if (installId === null) return;
    const caller = rateLimits.addressOf(request);
    const count = await counter.take(`${caller} ${installId}`);
    if (!count?.isRefused) return;
    await calls.refund(caller);
    setRateLimitHeaders(reply, INSTALL_CALLS, count);
    throw rateLimited(
      count,
      `Too many requests of this install: at most ${INSTALL_CALLS.points} a minute. Send events in batches, or try again`,
    );
  };
}

/** The `installId`, of a batch that of its first event. The body is not validated yet. */
function installIdIn(body: unknown): string | null {
  const { installId, events } = fieldsOf(body);
  const id = Array.isArray(events) ? fieldsOf(events[0]).installId : installId;
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null;
}

function fieldsOf(value: unknown): { readonly installId?: unknown; readonly events?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
