import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { errorResponses } from '../server/schemas.ts';
import { findApp } from './queries.ts';
import { App, presentApp, UpdateApp } from './schemas.ts';
import { type AppDeps, updateApp } from './update-app.ts';

const common = { tags: ['Accounts'] };
const config = { role: 'owner' } as const;
const read = errorResponses(400, 404, 429, 503);
const write = errorResponses(400, 404, 413, 415, 429, 503);

/** `/v1/app`: the app of the session. */
export const ownAppRoutes: FastifyPluginAsyncTypebox<AppDeps> = async (api, deps) => {
  api.get('/v1/app', {
    schema: {
      ...common,
      operationId: 'readOwnApp',
      summary: 'Read the app of the session',
      response: { 200: App, ...read },
    },
    handler: async ({ actor }) => {
      const app = await findApp(deps.db, actor.appId);
      if (app === undefined) throw new AppError('app.not_found');
      return presentApp(app);
    },
  });
  api.patch('/v1/app', {
    config,
    schema: {
      ...common,
      operationId: 'updateOwnApp',
      summary: 'Change the app of the session; only included fields change',
      body: UpdateApp,
      bodyExample: { landingPage: 'always', fingerprintWindowHours: 24 },
      response: { 200: App, ...errorResponses(409), ...write },
    },
    handler: async ({ actor, body: changes }) => {
      const app = await updateApp(deps, {
        appId: actor.appId,
        changes,
        by: authorOf(actor),
        mayRaiseBounds: false,
      });
      return presentApp(app);
    },
  });
};
