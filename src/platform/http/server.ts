import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { answerBrokenHttp } from './broken-http.ts';
import { answerFault, sendFault } from './faults.ts';
import { parseJsonBody } from './json-body.ts';
import { openApiDocument } from './openapi.ts';
import { compileValidator } from './validation.ts';

export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_PARAM_CHARACTERS = 2_048;
/** A request that has not arrived whole by then is given up. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const REQUEST_ID = /^[\w.:-]{1,64}$/;

/**
 * A server without routes: how bodies are read, inputs checked and faults answered.
 * @param mendAddress is given every request's address before a route is looked for.
 */
export async function createServer(ctx: Ctx, mendAddress: (address: string) => string): Promise<Api> {
  const newRequestId = requestIds(ctx);
  const api = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustProxy(ctx.config.trustProxy),
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Node's own answer to a request without Host is none of ours; the hook below refuses it.
    http: { requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => mendAddress(url),
    genReqId: (raw) => givenRequestId(raw) ?? newRequestId(),
    clientErrorHandler: (error, socket) => answerBrokenHttp(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendFault(reply, new AppError(badAddressCode(error.code, request.raw.url)));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Node's own answer to an expectation that nobody knows has no body.
  api.server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    answerBrokenHttp(new Error('unknown expectation'), socket, newRequestId()),
  );
  api.setValidatorCompiler(compileValidator);
  api.setErrorHandler(answerFault(ctx.log));
  api.setNotFoundHandler((_request, reply) => sendFault(reply, new AppError('route.not_found')));
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  api.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const { httpVersionMinor, headers } = request.raw;
    done(
      httpVersionMinor === 1 && headers.host === undefined ? new AppError('request.malformed') : undefined,
    );
  });
  if (ctx.config.trustProxy === null) warnOfUntrustedProxy(api, ctx);
  await api.register(swagger, openApiDocument);
  return api;
}

/** A number of hops means exactly that many, counted from our end: the address before them is the visitor's. */
function trustProxy(
  setting: Ctx['config']['trustProxy'],
): false | string[] | ((address: string, hop: number) => boolean) {
  if (setting === null) return false;
  return typeof setting === 'number' ? (_address, hop) => hop < setting : [...setting];
}

/** Requests under way have this long once the server stops. */
const FINISH_WITHIN_MS = 7_000;
const LOOK_FOR_IDLE_EVERY_MS = 100;

/**
 * Takes no new connection and answers what is under way. A connection goes once it is idle; one that says nothing, or
 * never ends its request, is not waited for longer than 7 s.
 */
export async function closeServer(api: Api): Promise<void> {
  const idle = setInterval(() => api.server.closeIdleConnections(), LOOK_FOR_IDLE_EVERY_MS);
  const late = setTimeout(() => api.server.closeAllConnections(), FINISH_WITHIN_MS);
  await api.close();
  clearInterval(idle);
  clearTimeout(late);
}

/** The caller's own `X-Request-Id`, where it is a plain one. */
function givenRequestId({ headers }: IncomingMessage): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : null;
}

/** This process's mark and a count: cheaper than a UUID, and nobody else's either. */
function requestIds(ctx: Ctx): () => string {
  const mark = ctx.ids.next().slice(-12);
  let count = 0;
  return () => {
    count += 1;
    return `${mark}-${count}`;
  };
}

/** A parameter that is too long names nothing; an address with a broken escape is no address. */
function badAddressCode(code: string, url = ''): ErrorCode {
  if (code !== 'FST_ERR_MAX_PARAM_LENGTH') return 'request.malformed';
  return url.startsWith('/v1/links/') ? 'link.not_found' : 'route.not_found';
}

/** Behind a proxy that is not declared, every visitor seems to have the proxy's address. */
function warnOfUntrustedProxy(api: Api, ctx: Ctx): void {
  let warned = false;
  api.addHook('onRequest', (request, _reply, done) => {
    if (!warned && request.headers['x-forwarded-for'] !== undefined) {
      warned = true;
      ctx.log.warn(
        'X-Forwarded-For arrives but TRUST_PROXY is not set: visitors are known by the proxy’s address only',
      );
    }
    done();
  });
}
