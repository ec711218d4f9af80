import { Type } from 'typebox';
import { SHORT_LINK_PATH } from '../../links/index.ts';
import { callerAddress, limitRate } from '../../server/rate-limit.ts';
import { errorResponses } from '../../server/schemas.ts';
import type { Api } from '../../server/server.ts';
import { Signals } from './schemas.ts';
import { type SignalsCtx, storeSignals } from './store-signals.ts';

const MAX_SIGNALS_BYTES = 4 * 1024;
const SIGNALS_LIMIT = { name: 'signals', points: 600, shared: false, countedBy: callerAddress };

/** Receives the device signals of the landing page. High limit: many phones may share an address. */
export function signalRoutes(api: Api, ctx: SignalsCtx): void {
  api.route({
    method: 'POST',
    url: `${SHORT_LINK_PATH}:shortCode/signals`,
    bodyLimit: MAX_SIGNALS_BYTES,
    onRequest: limitRate(ctx, SIGNALS_LIMIT),
    schema: {
      tags: ['Redirect'],
      summary: 'Describe the device of a click',
      description:
        'For the landing page, which holds the `proof` of its click. Accepted once, within a minute of the click, and before the click is claimed.',
      params: Type.Object({ shortCode: Type.String() }),
      body: Signals,
      response: {
        204: Type.Null({ description: 'The signals are stored' }),
        ...errorResponses(400, 403, 404, 409, 410, 413, 415, 429, 503),
      },
    },
    handler: async (request, reply) => {
      await storeSignals(ctx, { shortCode: request.params.shortCode, signals: request.body });
      return await reply.code(204).send(null);
    },
  });
}
