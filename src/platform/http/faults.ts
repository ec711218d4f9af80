import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { describeInvalid } from './validation.ts';

/** Answers with what the caller is told; what it is not told goes to the log. */
export function answerFault(log: Log) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // What the framework dislikes about a request to nowhere is no news: there is nothing there.
    const fault = request.is404 ? new AppError('route.not_found') : toAppError(thrown);
    if (fault.status >= 500)
      log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'a request failed');
    return sendFault(reply, fault);
  };
}

export function sendFault(reply: FastifyReply, fault: AppError): FastifyReply {
  if (fault.retryAfterSeconds !== null) reply.header('retry-after', fault.retryAfterSeconds);
  // `serializer` bypasses the route's schemas: an error has one form everywhere.
  return reply
    .code(fault.status)
    .header('x-service-error', fault.code)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: fault.message });
}

/** The framework's own codes for what a request can be guilty of. */
function toAppError(thrown: FastifyError): AppError {
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
    case 'FST_ERR_BAD_URL':
      return new AppError('request.malformed');
  }
  const { statusCode = 500 } = thrown;
  if (statusCode >= 400 && statusCode < 500) return new AppError('request.malformed', { cause: thrown });
  if (isUnavailable(thrown)) return new AppError('database.unavailable', { cause: thrown });
  return new AppError('internal', { cause: thrown });
}
