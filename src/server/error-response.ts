import type { ServerResponse } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../lib/log.ts';
import { describeInvalid } from './validation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends the public part of an error; the rest goes to the log. */
export function errorHandler(log: Log) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = isCutOff(thrown, request) ? new AppError('request.malformed') : fromFramework(thrown);
    if (error.status >= 500 && !error.isLogged)
      log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'Request failed');
    return sendError(reply, error);
  };
}

/** Whether a body or a streamed response ended early because the client has gone away: nobody reads an answer. */
function isCutOff(thrown: FastifyError, { raw }: FastifyRequest): boolean {
  // A body that breaks off has the code of any broken connection, such as that to the database.
  if (thrown === raw.errored) return true;
  return thrown.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed;
}

export function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  if (error.retryAfterSeconds !== null) reply.header('retry-after', error.retryAfterSeconds);
  // `serializer` bypasses the response schemas of the route.
  return reply
    .code(error.status)
    .header('x-service-error', error.code)
    .type(JSON_TYPE)
    .serializer(JSON.stringify)
    .send({ error: error.message });
}

/** As `sendError`, for responses that bypass the framework. */
export function writeError(response: ServerResponse, error: AppError): void {
  const body = JSON.stringify({ error: error.message });
  response.setHeader('x-service-error', error.code);
  if (error.retryAfterSeconds !== null) response.setHeader('retry-after', error.retryAfterSeconds);
  response.setHeader('content-type', JSON_TYPE);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(error.status).end(body);
}

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError(isUnavailable(thrown) ? 'database.unavailable' : 'internal', { cause: thrown });
}

/** The path cannot be percent-decoded. */
export function invalidEscape(): AppError {
  return new AppError('request.malformed', {
    message: 'Invalid percent-encoding in the path. Encode a literal % as %25.',
  });
}

function fromFramework(thrown: FastifyError): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown.validation !== undefined)
    return new AppError('request.invalid', {
      message: describeInvalid(
        thrown.validation as Parameters<typeof describeInvalid>[0],
        thrown.validationContext ?? 'body',
      ),
    });
  switch (thrown.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('request.too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return new AppError('request.not_json');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new AppError('request.malformed');
    case 'FST_ERR_BAD_URL':
      return invalidEscape();
  }
  const { statusCode = 500 } = thrown;
  if (statusCode >= 400 && statusCode < 500) return new AppError('request.malformed', { cause: thrown });
  return toAppError(thrown);
}
