import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { authorOf } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { errorResponses } from '../server/schemas.ts';
import { findApp } from './queries.ts';
import type { AdminDeps } from './routes.ts';
import { App, presentApp, UpdateApp } from './schemas.ts';
import { updateApp } from './update-app.ts';

const common = { tags: ['Accounts'], security: [{ session: [] }] };
const config = { role: 'owner' } as const;
const read = errorResponses(400, 401, 403, 404, 429, 503);
const write = errorResponses(400, 401, 403, 404, 413, 415, 429, 503);

/** `/v1/app`: the app of the session. */
export const ownAppRoutes: FastifyPluginAsyncTypebox<AdminDeps> = async (api, deps) => {
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
      deps.appDirectory.forget(actor.appId);
      await deps.hostDirectory.refresh();
      return presentApp(app);
    },
  });
};
