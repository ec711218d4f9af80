import { Type } from 'typebox';
import { SHORT_LINK_PATH } from '../../links/index.ts';
import { callerAddress, limitRate } from '../../platform/http/rate-limit.ts';
import { errorAnswers } from '../../platform/http/schemas.ts';
import type { Api } from '../../platform/http/server.ts';
import { Signals } from './schemas.ts';
import { type SignalsCtx, storeSignals } from './store-signals.ts';

const MAX_SIGNALS_BYTES = 4 * 1024;
/** Many phones may share an address. */
const SIGNALS_LIMIT = { name: 'signals', points: 600, shared: false, countedBy: callerAddress };

/** Where the landing page sends what it found out about the device. */
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
        'For the landing page alone, whose `proof` fits its click. Taken once, within a minute of the click, and before the click is claimed.',
      params: Type.Object({ shortCode: Type.String() }),
      body: Signals,
      response: {
        204: Type.Null({ description: 'The click has them' }),
        ...errorAnswers(400, 403, 404, 409, 410, 413, 415, 429, 503),
      },
    },
    handler: async (request, reply) => {
      await storeSignals(ctx, { shortCode: request.params.shortCode, signals: request.body });
      return await reply.code(204).send(null);
    },
  });
}
