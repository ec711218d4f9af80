import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { type Actor, type AppDirectory, type KeyRing, perKey, shortLinkBase } from '../apps/index.ts';
import type { Config } from '../config.ts';
import type { Ctx } from '../ctx.ts';
import type { Db } from '../db/index.ts';
import { idempotencyKey, withIdempotency } from '../server/idempotency.ts';
import { checkText } from '../server/json-body.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { deleteLink, updateLink } from './change-link.ts';
import { createLink } from './create-link.ts';
import { shortUrlOf } from './link.ts';
import type { LinkDirectory } from './link-directory.ts';
import { drawQrCode } from './qr/qr-code.ts';
import { listLinks } from './queries.ts';
import { readLink } from './read-link.ts';
import { CreateLink, Link, ListLinks, presentLink, ReadQrCode, UpdateLink } from './schemas.ts';

const Params = Type.Object({ shortCode: Type.String() });

type LinkCtx = Ctx & { keyRing: KeyRing; appDirectory: AppDirectory; linkDirectory: LinkDirectory };

const common = { tags: ['Links'], security: [{ apiKey: [] }] };
const one = errorResponses(401, 404, 429, 503);

/** `/v1/links` and QR codes. */
export const linkRoutes: FastifyPluginAsyncTypebox<LinkCtx> = async (api, ctx) => {
  collectionRoutes(api, ctx);
  itemRoutes(api, ctx);
  qrCodeRoute(api, ctx);
};

function collectionRoutes(api: Api, ctx: LinkCtx): void {
  api.post('/v1/links', {
    config: { rateLimit: perKey('links-create', 60) },
    schema: {
      ...common,
      summary: 'Create a link',
      description:
        'With an Idempotency-Key, a repeated request with the same body within 24 hours gets the first answer.',
      body: CreateLink,
      response: { 201: Link, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, body } = request;
      const base = await baseOf(ctx, actor);
      const scope = `POST /v1/links ${actor.mode}`;
      const once = { appId: actor.appId, scope, key: idempotencyKey(request), body };
      const answer = await withIdempotency(ctx, once, async (tx) => {
        const link = await createLink(tx, ctx, { ...body, actor });
        return { status: 201, body: presentLink(base, link) };
      });
      const link = answer.body as Static<typeof Link>;
      ctx.linkDirectory.invalidate(link.shortCode);
      return reply.code(201).send(link);
    },
  });

  api.get('/v1/links', {
    config: { rateLimit: perKey('links-list', 120) },
    schema: {
      ...common,
      summary: 'List links, newest first',
      querystring: ListLinks,
      response: { 200: Type.Array(Link), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async (request) => {
      const { campaignId = null, limit, offset } = request.query;
      if (campaignId !== null) checkText(campaignId, 'campaignId');
      const sandboxOnly = request.actor.mode === 'test';
      const links = await listLinks(ctx.db, request.actor.appId, { campaignId, sandboxOnly, limit, offset });
      const base = await baseOf(ctx, request.actor);
      return links.map((link) => presentLink(base, link));
    },
  });
}

function itemRoutes(api: Api, ctx: LinkCtx): void {
  api.get('/v1/links/:shortCode', {
    schema: { ...common, summary: 'Read a link', params: Params, response: { 200: Link, ...one } },
    handler: async ({ actor, params: { shortCode } }) => {
      const link = await readLink(ctx.db, { actor, shortCode });
      return presentLink(await baseOf(ctx, actor), link);
    },
  });

  api.patch('/v1/links/:shortCode', {
    config: { rateLimit: perKey('links-update', 60) },
    schema: {
      ...common,
      summary: 'Change a link; only included fields change, null clears',
      params: Params,
      body: UpdateLink,
      response: { 200: Link, ...errorResponses(400, 413, 415, 503), ...one },
    },
    handler: async ({ actor, params: { shortCode }, body: changes }) => {
      const link = await updateLink(ctx, { actor, shortCode, changes });
      return presentLink(await baseOf(ctx, actor), link);
    },
  });

  api.delete('/v1/links/:shortCode', {
    config: { rateLimit: perKey('links-delete', 60) },
    schema: {
      ...common,
      summary: 'Delete a link; its code stops redirecting and is never used again',
      params: Params,
      response: { 204: NoContent, ...one },
    },
    handler: async (request, reply) => {
      await deleteLink(ctx, { actor: request.actor, shortCode: request.params.shortCode });
      return reply.code(204).send(null);
    },
  });
}

const Image = Type.Unsafe<Buffer>({
  description: 'The image',
  content: {
    'image/png': { schema: { type: 'string', format: 'binary' } },
    'image/svg+xml': { schema: { type: 'string' } },
  },
});

function qrCodeRoute(
  api: Api,
  { db, config, appDirectory }: { db: Db; config: Config; appDirectory: AppDirectory },
): void {
  api.get('/v1/links/:shortCode/qr', {
    schema: {
      ...common,
      summary: 'Get the QR code of a link’s short URL as PNG or SVG',
      params: Params,
      querystring: ReadQrCode,
      response: { 200: Image, ...errorResponses(400), ...one },
    },
    handler: async ({ actor, params: { shortCode }, query }, reply) => {
      const link = await readLink(db, { actor, shortCode });
      const { contentType, image } = await drawQrCode(
        shortUrlOf(await baseOf({ config, appDirectory }, actor), link),
        query,
      );
      return reply
        .header('content-type', contentType)
        .header('content-disposition', `inline; filename="${shortCode}.${query.format}"`)
        .header('cache-control', 'private, max-age=300')
        .send(image);
    },
  });
}

/** Base URL of the app's short links. */
async function baseOf(
  { config, appDirectory }: { config: Config; appDirectory: AppDirectory },
  { appId }: Actor,
): Promise<string> {
  return shortLinkBase(config, await appDirectory.get(appId));
}
