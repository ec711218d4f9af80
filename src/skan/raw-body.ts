import type { FastifyRequest } from 'fastify';
import { parseJsonBody } from '../platform/http/json-body.ts';
import type { Api } from '../platform/http/server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON text that the body was read from; set where `keepRawBody` was called. */
    rawBody: string;
  }
}

const JSON_TYPE = 'application/json';

/** Has the routes of a scope see the text of a body beside what was read from it. */
export function keepRawBody(scope: Api): void {
  scope.removeContentTypeParser(JSON_TYPE);
  scope.addContentTypeParser<Buffer>(
    JSON_TYPE,
    { parseAs: 'buffer' },
    (request: FastifyRequest, body, done) => {
      request.rawBody = body.toString('utf8');
      parseJsonBody(request, body, done);
    },
  );
}
