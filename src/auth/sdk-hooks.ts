import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { SMALL_BODY_BYTES } from '../server/body-budget.ts';
import { type RateLimit, type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import type { Api } from '../server/server.ts';
import { byApp, requireKey } from './authenticate.ts';
import type { KeyRing } from './key-ring.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route whose body has a list of calls, each of which counts. */
    batch?: { readonly list: string; readonly maxItems: number };
  }
}

const MIB = 1024 * 1024;
/** With a publishable key, by address: all phones share one key. */
const CALLS: RateLimit = { name: 'sdk', points: 600, shared: false, countedBy: 'address' };
/** With a secret key: a server sends the calls of many phones from one address. */
const SERVER_CALLS: RateLimit = { ...byApp('sdk-server', 6_000), shared: false };
/** Eight full batches. `CALLS` alone bounds small bodies, so they pass without bytes left. */
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
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = await rateLimits.spend(callsOf(request), request, reply);
    if (refusal !== null) throw refusal;
  };
}

function callsOf({ actor }: FastifyRequest): RateLimit {
  return actor.publishable ? CALLS : SERVER_CALLS;
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

function callsPerInstall(rateLimits: RateLimits) {
  const spend = installSpender(rateLimits);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const items = itemsOf(request);
    if (items === null) {
      const refusal = await spend(request, reply, installIdIn(request.body));
      if (refusal !== null) throw refusal;
      return;
    }
    for (const [index, item] of items.entries()) {
      // The request has counted as its first item.
      const refusal = index === 0 ? null : await rateLimits.spend(callsOf(request), request, reply);
      const refused = refusal ?? (await spend(request, reply, installIdIn(item)));
      if (refused !== null) items[index] = refused;
    }
  };
}

/** The calls of a batch, in which an error may replace one; null for another request, and for a list that validation refuses. */
function itemsOf({ body, routeOptions }: FastifyRequest): unknown[] | null {
  const { batch } = routeOptions.config;
  if (batch === undefined || typeof body !== 'object' || body === null) return null;
  const items = (body as Record<string, unknown>)[batch.list];
  return Array.isArray(items) && items.length <= batch.maxItems ? items : null;
}

/**
 * Refunds the call of a refused install to its address, which other phones share. Counted per address and install, so that
 * a forger at another address cannot use up an install's calls.
 */
function installSpender(rateLimits: RateLimits) {
  const counter = rateLimits.counterOf(INSTALL_CALLS);
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    installId: string | null,
  ): Promise<AppError | null> => {
    if (installId === null || !request.actor.publishable) return null;
    const count = await counter.take(`${rateLimits.addressOf(request)} ${installId}`);
    if (!count?.isRefused) return null;
    await rateLimits.refund(CALLS, request);
    setRateLimitHeaders(reply, INSTALL_CALLS, count);
    return rateLimited(
      count,
      `Too many requests of this install: at most ${INSTALL_CALLS.points} a minute. Send events in batches, or try again`,
    );
  };
}

/** The `installId`, of a batch of events that of its first one. The body is not validated yet. */
function installIdIn(body: unknown): string | null {
  const { installId, events } = fieldsOf(body);
  const id = Array.isArray(events) ? fieldsOf(events[0]).installId : installId;
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null;
}

function fieldsOf(value: unknown): { readonly installId?: unknown; readonly events?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
