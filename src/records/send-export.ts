import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { whileAllowed } from '../auth/index.ts';
import { preferredType } from '../server/accept.ts';
import { givingWay } from '../server/give-way.ts';
import type { OpenExports } from '../server/open-exports.ts';
import type { Api } from '../server/server.ts';
import { type RecordChunks, toCsv, toNdjson } from './formats.ts';

export const STREAMED = ['text/csv', 'application/x-ndjson'] as const;
export type Streamed = (typeof STREAMED)[number];

/** The format that a request asks for; null for JSON. */
export function streamedFormat({ headers }: FastifyRequest): Streamed | null {
  const format = preferredType(headers.accept, ['application/json', ...STREAMED]);
  return format === 'application/json' ? null : (format as Streamed);
}

/** Streams records past the response's JSON schema, while the caller may read them. @param of whose open exports it is one of. @throws AppError `rate.limited`. */
export function sendExport(
  { api, openExports }: { readonly api: Api; readonly openExports: OpenExports },
  { request, reply, format }: { request: FastifyRequest; reply: FastifyReply; format: Streamed },
  { item, of, chunks }: { item: TObject; of: string; chunks: RecordChunks },
): FastifyReply {
  const type = `${format}; charset=utf-8`;
  // Fastify would read the whole export for a HEAD.
  if (request.method === 'HEAD') return reply.type(type).send(Readable.from([]));
  // After the reads, so that none of these awaits lets another request in between.
  openExports.assertRoom(of);
  const texts = format === 'text/csv' ? toCsv(item, chunks) : toNdjson(chunks);
  const pieces = Readable.from(givingWay(whileAllowed(texts, request.checkAgain), api.connections));
  openExports.add(of, pieces);
  return reply.type(type).send(pieces);
}
