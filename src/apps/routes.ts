import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import type { Config } from '../config.ts';
import { type Db, onSomeNode } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, isUuid } from '../lib/ids.ts';
import { errorResponses } from '../server/schemas.ts';
import type { AppDirectory } from './app-directory.ts';
import { createApp } from './create-app.ts';
import type { Destinations } from './destinations.ts';
import type { HostDirectory } from './host-directory.ts';
import { findApp, listApps } from './queries.ts';
import { App, CreateApp, presentApp, UpdateApp } from './schemas.ts';
import { updateApp } from './update-app.ts';

const AppParams = Type.Object({ appId: Type.String() });

export interface AdminDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  /** @throws AppError `request.invalid` for defaults that lead links in a circle. */
  readonly refuseDefaults: (appId: string, defaults: Required<Destinations>) => Promise<void>;
}

const common = { tags: ['Admin'], security: [{ adminToken: [] }] };
const read = errorResponses(401, 404, 503);
const write = errorResponses(400, 401, 404, 413, 415, 429, 503);

/** `/v1/admin/apps`; the enclosing scope has found the operator. */
export const adminRoutes: FastifyPluginAsyncTypebox<AdminDeps> = async (api, deps) => {
  const { db, clock, ids, config, appDirectory, hostDirectory } = deps;
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
      response: { 201: App, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { body: input, operator: by } = request;
      const app = await onSomeNode(db, { table: 'audit_log', make: ids.next }, (id) =>
        db.transaction().execute((tx) => createApp(tx, { clock, ids, config }, { input, by, id })),
      );
      await hostDirectory.refresh();
      return reply.code(201).send(presentApp(app));
    },
  });
  api.get('/v1/admin/apps', {
    schema: {
      ...common,
      operationId: 'listApps',
      summary: 'List apps, newest first',
      response: { 200: Type.Array(App), ...errorResponses(401, 503) },
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
      const app = await updateApp(deps, { appId, changes, by, mayRaiseBounds: true });
      appDirectory.forget(appId);
      await hostDirectory.refresh();
      return presentApp(app);
    },
  });
};

async function existingApp(db: Db, { appId }: Static<typeof AppParams>) {
  const app = isUuid(appId) ? await findApp(db, appId.toLowerCase()) : undefined;
  if (app === undefined) throw new AppError('app.not_found');
  return app;
}
