import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { SHORT_LINK_PATH } from '../../links/index.ts';
import type { RateLimit } from '../../server/rate-limit.ts';
import { errorResponses } from '../../server/schemas.ts';
import { Signals } from './schemas.ts';
import { type SignalsDeps, storeSignals } from './store-signals.ts';

const MAX_SIGNALS_BYTES = 4 * 1024;
export const SIGNALS_LIMIT: RateLimit = { name: 'signals', points: 600, shared: false, countedBy: 'address' };

/** Receives the device signals of the landing page. High limit: many phones may share an address. */
export const signalRoutes: FastifyPluginAsyncTypebox<SignalsDeps> = async (api, deps) => {
  api.route({
    method: 'POST',
    url: `${SHORT_LINK_PATH}:shortCode/signals`,
    bodyLimit: MAX_SIGNALS_BYTES,
    schema: {
      operationId: 'recordSignals',
      tags: ['Redirect'],
      summary: 'Describe the device of a click',
      description:
        'For the landing page, which holds the `proof` of its click. Accepted once, within a minute of the click, and before the click is claimed.',
      params: Type.Object({ shortCode: Type.String() }),
      body: Signals,
      bodyExample: {
        clickId: '01985f2d-5e21-7f3c-b8a9-1c2d3e4f5a6b',
        proof: 'q1W2e3R4t5Y6u7I8o9P0aS',
        screenWidth: 393,
        screenHeight: 852,
        pixelRatio: 3,
        timezone: 'Europe/Berlin',
        languages: ['de-DE', 'en'],
      },
      response: {
        204: Type.Null({ description: 'The signals are stored' }),
        ...errorResponses(400, 403, 404, 409, 410, 413, 415, 429, 503),
      },
    },
    handler: async (request, reply) => {
      await storeSignals(deps, { shortCode: request.params.shortCode, signals: request.body });
      return await reply.code(204).send(null);
    },
  });
};
