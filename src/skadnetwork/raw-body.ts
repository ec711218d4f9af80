import { parseJsonBody, readBodiesWith } from '../server/json-body.ts';
import type { Api } from '../server/server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text of the body, in scopes with `keepRawBody`. */
    rawBody: string;
  }
}

/** Keeps the text of each parsed body in `request.rawBody`. */
export function keepRawBody(scope: Api): void {
  readBodiesWith(scope, (request, body, done) => {
    request.rawBody = body.toString('utf8');
    parseJsonBody(request, body, done);
  });
}
