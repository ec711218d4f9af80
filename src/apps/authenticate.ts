import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.ts';
import type { Actor } from './app.ts';
import type { KeyRing } from './key-ring.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireKey`, on routes that use it. */
    actor: Actor;
  }
}

/** What a route asks of a key: `secret` is any key of a server, `sdk` any key at all. */
export type KeyDemand = 'secret' | 'sdk';

/** A hook that finds out who is calling by the header `X-Api-Key`. */
export function requireKey(keyRing: KeyRing, demand: KeyDemand) {
  return async (request: FastifyRequest): Promise<void> => {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') throw new AppError('key.missing');
    request.actor = await identify(keyRing, key, demand);
  };
}

/** @throws AppError when the key is not valid or of a kind that does not open the endpoint. */
export async function identify(keyRing: KeyRing, key: string, demand: KeyDemand): Promise<Actor> {
  const actor = await keyRing.identify(key);
  if (demand === 'secret' && actor.publishable)
    throw new AppError('key.wrong_kind', {
      message:
        'A publishable key opens /v1/sdk/* only. Use a secret key (svc_live_… or svc_test_… without pub), from a server.',
    });
  return actor;
}

/** A hook that lets only the operator in. */
export function requireAdmin(adminToken: string) {
  const expected = digest(`Bearer ${adminToken}`);
  return async (request: FastifyRequest): Promise<void> => {
    const given = request.headers.authorization;
    if (given === undefined || !timingSafeEqual(digest(given), expected))
      throw new AppError('admin.unauthorized');
  };
}

/** Digests are of one length, so that comparing them tells nothing about either. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
