import { timingSafeEqual } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AppDirectory, revenuecatKeyOf } from '../apps/index.ts';
import type { Auth } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import { parseCleaned, readBodiesWith } from '../server/json-body.ts';
import type { RateLimit, RateLimits } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import { cleanBody } from './body.ts';
import type { RevenueCat } from './index.ts';
import { readStatus } from './read-status.ts';
import { RevenueCatNotification, RevenueCatReceived, RevenueCatStatus } from './schemas.ts';

const common = { tags: ['Integrations'] };
const LIMIT: RateLimit = {
  name: 'revenuecat',
  points: 3_000,
  shared: false,
  countedBy: ({ params }) => appIdIn(params),
};
const WRONG =
  'The Authorization value is not the one of this app, or the app has none. Set the same value in RevenueCat and in the app’s setting revenuecatAuthorization.';

/** `POST /v1/integrations/revenuecat/{appId}`, in a scope of its own. */
export const revenuecatRoute: FastifyPluginAsyncTypebox<{
  appDirectory: AppDirectory;
  auth: Pick<Auth, 'guardBy'>;
  rateLimits: RateLimits;
  revenuecat: RevenueCat;
}> = async (api, { appDirectory, auth, rateLimits, revenuecat }) => {
  auth.guardBy(api, async (request) => await checkCaller(appDirectory, request));
  api.addHook('onRequest', rateLimits.hook(LIMIT));
  readBodiesWith(api, parseCleaned(cleanBody));
  api.post('/v1/integrations/revenuecat/:appId', {
    schema: {
      ...common,
      operationId: 'receiveRevenueCat',
      summary: 'Receive an event of RevenueCat',
      params: Type.Object({ appId: Type.String() }),
      description: 'Authorization is the app’s setting revenuecatAuthorization.',
      security: [{ authorization: [] }],
      body: RevenueCatNotification,
      bodyExample: { event: EXAMPLE, api_version: '1.0' },
      response: { 200: RevenueCatReceived, ...errorResponses(400, 401, 413, 415, 429, 503) },
    },
    // RevenueCat takes any other status than 200 for a failure.
    handler: async ({ params, body }) => ({
      outcome: await revenuecat.receive(appIdIn(params), body.event),
    }),
  });
};

const EXAMPLE = {
  type: 'INITIAL_PURCHASE',
  id: '12345678-1234-1234-1234-123456789012',
  app_user_id: 'user-17',
  product_id: 'com.example.weekly',
  period_type: 'NORMAL',
  transaction_id: '123456789012345',
  purchased_at_ms: 1658726374000,
  environment: 'PRODUCTION',
  price_in_purchased_currency: 4.99,
  currency: 'USD',
};

function appIdIn(params: unknown): string {
  return (params as { appId: string }).appId.toLowerCase();
}

/** @throws AppError `key.missing`, `key.invalid`, for an unknown app too. */
async function checkCaller(appDirectory: AppDirectory, { params, headers }: FastifyRequest): Promise<void> {
  const { authorization } = headers;
  if (!authorization) throw new AppError('key.missing', { message: WRONG });
  const expected = await keyOfApp(appDirectory, appIdIn(params));
  const given = revenuecatKeyOf(authorization);
  if (expected === null || !timingSafeEqual(Buffer.from(given), Buffer.from(expected)))
    throw new AppError('key.invalid', { message: WRONG });
}

async function keyOfApp(appDirectory: AppDirectory, appId: string): Promise<string | null> {
  if (!isUuid(appId)) return null;
  try {
    return (await appDirectory.get(appId)).revenuecat_key;
  } catch (error) {
    if (error instanceof AppError && error.code === 'app.not_found') return null;
    throw error;
  }
}

/** `GET /v1/integrations/revenuecat`. */
export const revenuecatStatusRoute: FastifyPluginAsyncTypebox<Pick<Foundation, 'db' | 'config'>> = async (
  api,
  deps,
) => {
  api.get('/v1/integrations/revenuecat', {
    config: { key: 'live' },
    schema: {
      ...common,
      operationId: 'readRevenueCat',
      summary: 'Read what RevenueCat has sent',
      response: { 200: RevenueCatStatus, ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => await readStatus(deps, actor.appId),
  });
};
