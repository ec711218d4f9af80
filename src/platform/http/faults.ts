import type { ServerResponse } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../db/index.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { describeInvalid } from './validation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A failed webhook test is in the delivery log; the body budget logs once a minute. */
const LOGGED_ELSEWHERE: readonly ErrorCode[] = ['webhook.test_failed', 'server.busy'];

/** Answers with what the caller is told; what it is not told goes to the log. */
export function answerFault(log: Log) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const fault = fromFramework(thrown);
    if (fault.status >= 500 && !LOGGED_ELSEWHERE.includes(fault.code))
      log.error({ err: thrown, requestId: request.id, route: request.routeOptions.url }, 'a request failed');
    return sendFault(reply, fault);
  };
}

/** The form that every error has, through the framework. */
export function sendFault(reply: FastifyReply, fault: AppError): FastifyReply {
  if (fault.retryAfterSeconds !== null) reply.header('retry-after', fault.retryAfterSeconds);
  // `serializer` bypasses the route's schemas: an error has one form everywhere.
  return reply
    .code(fault.status)
    .header('x-service-error', fault.code)
    .type(JSON_TYPE)
    .serializer(JSON.stringify)
    .send({ error: fault.message });
}

/** The same answers, for what is answered past the framework. */
export function writeFault(response: ServerResponse, fault: AppError): void {
  const body = JSON.stringify({ error: fault.message });
  response.setHeader('x-service-error', fault.code);
  if (fault.retryAfterSeconds !== null) response.setHeader('retry-after', fault.retryAfterSeconds);
  response.setHeader('content-type', JSON_TYPE);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(fault.status).end(body);
}

/** What was thrown, as what the caller is told. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError(isUnavailable(thrown) ? 'database.unavailable' : 'internal', { cause: thrown });
}

/** Of an address that cannot be decoded. */
export function brokenEscape(): AppError {
  return new AppError('request.malformed', {
    message: 'The path holds a % that begins no escape of UTF-8 text. Write a % that means itself as %25.',
  });
}

/** The framework's own codes for what a request can be guilty of. */
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
      return brokenEscape();
  }
  const { statusCode = 500 } = thrown;
  if (statusCode >= 400 && statusCode < 500) return new AppError('request.malformed', { cause: thrown });
  return toAppError(thrown);
}
