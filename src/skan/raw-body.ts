import { parseJsonBody, readBodiesWith } from '../platform/http/json-body.ts';
import type { Api } from '../platform/http/server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text that the body was read from; set where `keepRawBody` was called. */
    rawBody: string;
  }
}

/** Has the routes of a scope see the text of a body beside what was read from it. */
export function keepRawBody(scope: Api): void {
  readBodiesWith(scope, (request, body, done) => {
    request.rawBody = body.toString('utf8');
    parseJsonBody(request, body, done);
  });
}
