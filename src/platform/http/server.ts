import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import type { Ctx } from '../ctx.ts';
import { AppError } from '../errors.ts';
import { limitBodies } from './body-budget.ts';
import { answerBrokenHttp, hasSeveralHosts, isWithoutHost, refuseMalformed } from './broken-http.ts';
import { Connections } from './connections.ts';
import { answerFault, brokenEscape, sendFault } from './faults.ts';
import { parseJsonBody, readNoBody } from './json-body.ts';
import { openApiDocument } from './openapi.ts';
import { toOriginForm } from './request-target.ts';
import { compileValidator } from './validation.ts';
import { trustedProxies, untrustedProxyWarning } from './visitor-address.ts';

/** The framework as routes see it: a handler's types follow from its schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const MAX_BODY_BYTES = 256 * 1024;
const MAX_PARAM_CHARACTERS = 2_048;
/** A request that has not arrived whole by then is given up. */
const REQUEST_TIMEOUT_MS = 30_000;
const LOOK_FOR_LATE_EVERY_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** Answers a request past the framework; false leaves the request to it. */
export type Shortcut = (
  request: IncomingMessage,
  response: ServerResponse,
  requestIdOf: (request: IncomingMessage) => string,
) => boolean;

/**
 * A server without routes: how bodies are read, inputs checked and faults answered.
 * @param shortcut is asked before the framework, whose way takes longer than all that a redirect needs.
 */
export async function createServer(ctx: Ctx, shortcut: Shortcut): Promise<Api> {
  const newRequestId = requestIds(ctx);
  const warnOfUntrustedProxy = untrustedProxyWarning(ctx);
  const connections = new Connections(ctx);
  const requestIdOf = (request: IncomingMessage) => givenRequestId(request) ?? newRequestId();
  const refuse = (request: IncomingMessage, response: ServerResponse) =>
    refuseMalformed(response, requestIdOf(request));
  const api = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustedProxies(ctx.config.trustProxy) ?? false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory(framework) {
      const respond = (request: IncomingMessage, response: ServerResponse) => {
        warnOfUntrustedProxy(request);
        if (isWithoutHost(request) || !toOriginForm(request)) refuse(request, response);
        else if (!shortcut(request, response, requestIdOf)) {
          // Not looked for on the hottest path: what Host decides there is no secret.
          if (hasSeveralHosts(request)) refuse(request, response);
          else framework(request, response);
        }
      };
      return createHttpServer(
        {
          requestTimeout: REQUEST_TIMEOUT_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
          connectionsCheckingInterval: LOOK_FOR_LATE_EVERY_MS,
          // Node's own answer to a request without Host is none of ours.
          requireHostHeader: false,
          // A stream that nobody reads takes a twelfth of what Node does for a redirect.
          optimizeEmptyRequests: true,
        },
        (request, response) => connections.inTurn(request, response, respond),
      );
    },
    genReqId: requestIdOf,
    clientErrorHandler: (error, socket) => answerBrokenHttp(error, socket, newRequestId()),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendFault(reply, badAddress(error.code, request.raw.url));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Node's own answer to an expectation that nobody knows has no body.
  api.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    connections.inTurn(request, response, refuse),
  );
  connections.watch(api.server);
  api.addHook('preClose', async () => connections.beginClosing());
  api.setValidatorCompiler(compileValidator);
  api.setErrorHandler(answerFault(ctx.log));
  api.setNotFoundHandler((_request, reply) => sendFault(reply, new AppError('route.not_found')));
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  api.decorateRequest('spendBytes', null);
  api.addHook('preParsing', limitBodies(ctx));
  api.addHook('preParsing', readNoBody);
  api.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Before its body is read.
    if (request.is404) sendFault(reply, new AppError('route.not_found'));
    else done();
  });
  await api.register(swagger, openApiDocument);
  return api;
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
function badAddress(code: string, url = ''): AppError {
  if (code !== 'FST_ERR_MAX_PARAM_LENGTH') return brokenEscape();
  return new AppError(url.startsWith('/v1/links/') ? 'link.not_found' : 'route.not_found');
}
