import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A response body that is the same for all clients. */
export interface FixedBody {
  readonly bytes: Buffer;
  /** Quoted, as in the `ETag` header. */
  readonly etag: string;
}

export function serializeDocument(value: unknown): FixedBody {
  return fixedBody(Buffer.from(JSON.stringify(value)));
}

export function fixedBody(bytes: Buffer): FixedBody {
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

/** Sends the document, or 304 if the client has it. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: FixedBody,
  type = 'application/json; charset=utf-8',
): FastifyReply {
  reply.header('etag', etag);
  // Responses of the API already say that no cache may keep them.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-cache');
  if (matches(headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** `If-None-Match` compares weakly (RFC 9110 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
