import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { requestResumed, requestStarted } from '../lib/channels.ts';
import { createAccessLog } from './access-log.ts';
import { limitBodies } from './body-budget.ts';
import { BodyDeadlines, MAX_REQUEST_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from './body-deadline.ts';
import { forbidCaching } from './caching.ts';
import { trustedProxies, untrustedProxyWarning } from './client-address.ts';
import { Connections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { errorHandler, invalidEscape, sendError } from './error-response.ts';
import { checkQuery, endEmptyBody, MAX_BODY_BYTES, parseJsonBody } from './json-body.ts';
import {
  handleClientError,
  hasNoHost,
  hasSeveralHosts,
  refuseMalformed,
  toOriginForm,
} from './malformed-request.ts';
import { type ApiDescription, openApiOptions } from './openapi.ts';
import { compileSerializer } from './serialization.ts';
import { compileValidator } from './validation.ts';

/** Handlers get their types from the schemas of the route. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** As long as the headers may be: a route decides whether its parameter is too long. */
const MAX_PARAM_CHARACTERS = 16 * 1024;
const CHECK_TIMEOUTS_EVERY_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
/** For requests in progress when the server stops. */
const CLOSE_TIMEOUT_MS = 7_000;
const CLOSE_IDLE_EVERY_MS = 100;
const HTTP_OPTIONS = {
  requestTimeout: MAX_REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
  // Node's own 400 has no body.
  requireHostHeader: false,
  // Saves a twelfth of the time of a short response.
  optimizeEmptyRequests: true,
};
const REQUEST_ID = /^[\w.:-]{1,64}$/;

declare module 'fastify' {
  interface FastifyInstance {
    readonly connections: Connections;
  }
  interface FastifyContextConfig {
    /** Of a route that reads its body as it arrives, without holding it: how long that may take. */
    streamedForMs?: number;
  }
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles a request without the framework. Returns false to leave the request to the framework.
 * @param passOn leaves it later, after true was returned.
 */
export type Shortcut = (
  request: IncomingMessage,
  response: ServerResponse,
  { requestIdOf, passOn }: { requestIdOf: (request: IncomingMessage) => string; passOn: Respond },
) => boolean;

/**
 * Creates a server without routes.
 * @param shortcut runs before the framework, whose routing and hooks cost more than its response.
 * @param openPath the beginning of the paths that pages of any origin may call.
 */
export async function createServer(
  { config, ids, log, metrics }: Pick<Foundation, 'config' | 'ids' | 'log' | 'metrics'>,
  { shortcut, description, openPath }: { shortcut: Shortcut; description: ApiDescription; openPath: string },
): Promise<Api> {
  const newRequestId = requestIds({ ids });
  const warnOfUntrustedProxy = untrustedProxyWarning({ config, log });
  const connections = new Connections({ log, metrics });
  const accessLog = createAccessLog({ config, log });
  const deadlines = new BodyDeadlines((socket) =>
    handleClientError(new Error('The body did not arrive in time'), socket, newRequestId()),
  );
  const requestIdOf = (request: IncomingMessage) => {
    const requestId = givenRequestId(request) ?? newRequestId();
    accessLog.identify(request, requestId);
    return requestId;
  };
  const refuse = (request: IncomingMessage, response: ServerResponse) =>
    refuseMalformed(response, requestIdOf(request));
  const api = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustedProxies(config.trustProxy) ?? false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    serverFactory(framework) {
      // After the shortcut, to save its time: taps use `Host` only to find an app's own host, and Node keeps the first.
      const passOn: Respond = (request, response) => {
        if (hasSeveralHosts(request)) refuse(request, response);
        else framework(request, response);
      };
      const ways = { requestIdOf, passOn };
      const respond = traced((request, response) => {
        warnOfUntrustedProxy(request);
        accessLog.follow(request, response);
        deadlines.start(request, response);
        if (hasNoHost(request) || !toOriginForm(request)) refuse(request, response);
        else if (!shortcut(request, response, ways)) passOn(request, response);
      });
      return createHttpServer(HTTP_OPTIONS, (request, response) =>
        connections.inOrder(request, response, respond),
      );
    },
    genReqId: requestIdOf,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, newRequestId()),
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id);
      forbidCaching(openPath, request, reply);
      if (!allowOrigins(openPath, request, reply)) sendError(reply, invalidEscape());
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Node's 417 for an unknown `Expect` has no body.
  api.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    connections.inOrder(request, response, refuse),
  );
  connections.watch(api.server);
  api.decorate('connections', connections);
  api.addHook('preClose', async () => connections.beginClosing());
  api.setValidatorCompiler(compileValidator).setSerializerCompiler(compileSerializer);
  api.setErrorHandler(errorHandler(log));
  api.setNotFoundHandler((_request, reply) => sendError(reply, new AppError('route.not_found')));
  readBodies(api, { log, metrics });
  api.addHook('onRequest', (request, reply, done) => {
    const { streamedForMs } = request.routeOptions.config;
    accessLog.name(request.raw, request.routeOptions.url);
    if (streamedForMs !== undefined) deadlines.extend(request.raw, streamedForMs);
    reply.header('x-request-id', request.id);
    forbidCaching(openPath, request, reply);
    if (allowOrigins(openPath, request, reply)) return;
    // Before the body is read.
    if (request.is404) sendError(reply, new AppError('route.not_found'));
    else done();
  });
  await api.register(swagger, openApiOptions(description));
  return api;
}

/** Gives traces the context of a request; without them nothing but a look at a flag. */
function traced(respond: Respond): Respond {
  return (request, response) => {
    if (!requestStarted.hasSubscribers) respond(request, response);
    else requestStarted.runStores({ request, response }, respond, undefined, request, response);
  };
}

function readBodies(api: Api, { log, metrics }: Pick<Foundation, 'log' | 'metrics'>): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  api.decorateRequest('spendBytes', null);
  api.addHook('preParsing', limitBodies({ log, metrics }));
  api.addHook('preParsing', endEmptyBody);
  api.addHook('preValidation', ({ raw }, _reply, done) => requestResumed.runStores({ request: raw }, done));
  api.addHook('preValidation', checkQuery);
}

/** Refuses new connections, ends idle ones, completes requests in progress, and destroys the connections that are left after 7 s. */
export async function closeServer(api: Api): Promise<void> {
  const idle = setInterval(() => setImmediate(() => api.server.closeIdleConnections()), CLOSE_IDLE_EVERY_MS);
  const timeout = setTimeout(() => api.server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await api.close();
  // Fastify closes only what it opened itself, not a socket that was handed over.
  await new Promise<void>((closed) => api.server.close(() => closed()));
  clearInterval(idle);
  clearTimeout(timeout);
}

function givenRequestId({ headers }: IncomingMessage): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : null;
}

/** A random prefix for this process and a counter: cheaper than a UUID. */
function requestIds({ ids }: Pick<Foundation, 'ids'>): () => string {
  const prefix = ids.next().slice(-12);
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}
