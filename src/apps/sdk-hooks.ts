import type { FastifyReply, FastifyRequest } from 'fastify';
import { normaliseAddress } from '../platform/address.ts';
import type { Ctx } from '../platform/ctx.ts';
import { SMALL_BODY_BYTES } from '../platform/http/body-budget.ts';
import {
  callerAddress,
  describeCount,
  limitRate,
  RateCounter,
  type RateLimit,
  refusal,
} from '../platform/http/rate-limit.ts';
import { isUuid } from '../platform/ids.ts';
import { requireKey } from './authenticate.ts';
import type { KeyRing } from './key-ring.ts';

const MIB = 1024 * 1024;
/** SDK calls count by address and never by key: all phones share one. */
const CALLS: RateLimit = { name: 'sdk', points: 600, shared: false, countedBy: callerAddress };
/** Eight full batches of events. Small bodies are bounded by `CALLS` alone and pass when an address has no bytes left. */
const BYTES = { name: 'sdk-bytes', points: 32 * MIB, shared: false };
/** A fifth of what its address may call. */
const INSTALL_CALLS = { name: 'sdk-install', points: 120, shared: false };

/** The hooks of every `/v1/sdk/*` route: the key, then what one address and one install may send in a minute. */
export function sdkHooks(ctx: Ctx & { readonly keyRing: KeyRing }) {
  return {
    onRequest: [requireKey(ctx.keyRing, 'sdk'), limitRate(ctx, CALLS), bytesLimit(ctx)],
    preValidation: installLimit(ctx),
  };
}

function bytesLimit(ctx: Ctx) {
  const counter = new RateCounter(ctx, BYTES);
  async function spend(request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> {
    // A body above the limit of its route is refused unread.
    const isTooLarge = bytes > (request.routeOptions.bodyLimit ?? 0);
    if (bytes <= SMALL_BODY_BYTES || isTooLarge) return;
    const caller = callerAddress(request, ctx);
    const count = await counter.take(caller, bytes);
    if (!count?.isRefused) return;
    await counter.giveBack(caller, bytes);
    describeCount(reply, BYTES, count);
    throw refusal(
      count,
      'Too many bytes: bodies above 16 KiB may bring 32 MiB a minute from one address. Send less at once, or try again',
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
 * An install that calls too often spends its own points and none of its address, where others may wait behind the same
 * one. Counted at its address, so that no other address can spend them. Large bodies are bounded by bytes all the same.
 */
function installLimit(ctx: Ctx) {
  const counter = new RateCounter(ctx, INSTALL_CALLS);
  const calls = new RateCounter(ctx, CALLS);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const installId = request.actor.publishable ? installIdIn(request.body) : null;
    if (installId === null) return;
    const count = await counter.take(`${normaliseAddress(request.ip)} ${installId}`);
    if (!count?.isRefused) return;
    await calls.giveBack(callerAddress(request, ctx));
    describeCount(reply, INSTALL_CALLS, count);
    throw refusal(
      count,
      `Too many requests of this install: at most ${INSTALL_CALLS.points} a minute. Send events in batches, or try again`,
    );
  };
}

/** The install that a call is about; of a batch, that of its first event. The body is not validated yet. */
function installIdIn(body: unknown): string | null {
  const { installId, events } = fieldsOf(body);
  const id = Array.isArray(events) ? fieldsOf(events[0]).installId : installId;
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null;
}

function fieldsOf(value: unknown): { readonly installId?: unknown; readonly events?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
