import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { errorResponses } from '../server/schemas.ts';
import { createApp } from './create-app.ts';
import { findApp, listApps } from './queries.ts';
import { App, CreateApp, presentApp, UpdateApp } from './schemas.ts';
import { type AppDeps, updateApp } from './update-app.ts';

const AppParams = Type.Object({ appId: Type.String() });

const common = { tags: ['Admin'] };
const read = errorResponses(404, 503);
const write = errorResponses(400, 404, 413, 415, 429, 503);

/** `/v1/admin/apps`; the enclosing scope has found the operator. */
export const adminRoutes: FastifyPluginAsyncTypebox<AppDeps> = async (api, deps) => {
  const { db } = deps;
  api.post('/v1/admin/apps', {
    schema: {
      ...common,
      operationId: 'createApp',
      summary: 'Create an app',
      body: CreateApp,
      bodyExample: {
        name: 'Shoe shop',
        iosBundleId: 'com.example.shoes',
        iosTeamId: 'ABCDE12345',
        androidPackage: 'com.example.shoes',
        fallbackUrl: 'https://www.example.com/',
      },
      response: { 201: App, ...errorResponses(400, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { body: input, operator: by } = request;
      const app = await createApp(deps, { input, by });
      return reply.code(201).send(presentApp(app));
    },
  });
  api.get('/v1/admin/apps', {
    schema: {
      ...common,
      operationId: 'listApps',
      summary: 'List apps, newest first',
      response: { 200: Type.Array(App), ...errorResponses(503) },
    },
    handler: async () => (await listApps(db)).map(presentApp),
  });
  api.get('/v1/admin/apps/:appId', {
    schema: {
      ...common,
      operationId: 'readApp',
      summary: 'Read an app',
      params: AppParams,
      response: { 200: App, ...read },
    },
    handler: async (request) => presentApp(await existingApp(db, request.params)),
  });
  api.patch('/v1/admin/apps/:appId', {
    schema: {
      ...common,
      operationId: 'updateApp',
      summary: 'Change an app; only included fields change',
      params: AppParams,
      body: UpdateApp,
      bodyExample: { landingPage: 'always', fingerprintWindowHours: 24 },
      response: { 200: App, ...errorResponses(409), ...write },
    },
    handler: async (request) => {
      const { id: appId } = await existingApp(db, request.params);
      const { body: changes, operator: by } = request;
      return presentApp(await updateApp(deps, { appId, changes, by, mayRaiseBounds: true }));
    },
  });
};

async function existingApp(db: Db, { appId }: Static<typeof AppParams>) {
  const app = isUuid(appId) ? await findApp(db, appId.toLowerCase()) : undefined;
  if (app === undefined) throw new AppError('app.not_found');
  return app;
}
