import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { RawBuilder } from 'kysely';
import { type Static, Type } from 'typebox';
import type { AppDirectory } from '../apps/index.ts';
import { type Actor, budgetOf, byApp } from '../auth/index.ts';
import type { Config } from '../config.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { createTurns, type InTurn } from '../lib/turns.ts';
import { IdempotencyHeader, idempotencyKey } from '../server/idempotency.ts';
import { type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { batchRoutes } from './batch/batch-routes.ts';
import { Tags } from './batch/batch-schemas.ts';
import { deleteLink, updateLink } from './change-link.ts';
import { warningsOf } from './choice/path-warnings.ts';
import type { LoopFinder } from './circles/loops.ts';
import { createLink } from './create-link.ts';
import { type LinkRow, type ShortLinkBase, shortLinkBaseOf, shortUrlOf } from './link.ts';
import { listLinks } from './lists/list-links.ts';
import { listTags, MAX_TAGS } from './lists/list-tags.ts';
import type { LinkDirectory } from './look-up/link-directory.ts';
import { priceOf, QR_LIMIT } from './qr/qr-code.ts';
import type { QrDrawer } from './qr/qr-drawer.ts';
import { readLink } from './queries.ts';
import { ListLinks, ReadLink, ReadQrCode } from './query-schemas.ts';
import { CreateLink, Link, presentLink, type Totals, WriteLink } from './schemas.ts';

const Params = Type.Object({ shortCode: Type.String() });

interface LinkDeps extends Pick<Foundation, 'store' | 'db' | 'clock' | 'ids' | 'config' | 'secrets' | 'log'> {
  readonly appDirectory: AppDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly loops: LoopFinder;
  readonly rateLimits: RateLimits;
  readonly qrDrawer: QrDrawer;
  /** Totals of links by ID; none for a link without records. */
  readonly readTotals: (appId: string, links: readonly LinkRow[]) => Promise<ReadonlyMap<string, Totals>>;
  /** One of the totals of a row of `links`, to sort by. */
  readonly totalOf: (appId: string, name: keyof Totals) => Promise<RawBuilder<number>>;
}

const common = { tags: ['Links'] };
const one = errorResponses(401, 404, 429, 503);

/** `/v1/links` and QR codes. */
export const linkRoutes: FastifyPluginAsyncTypebox<LinkDeps> = async (api, deps) => {
  // Two of an app at a time, so that its many at once delay no other app's calls.
  collectionRoutes(api, { ...deps, inTurn: createTurns(2) });
  batchRoutes(api, deps);
  itemRoutes(api, deps);
  qrCodeRoute(api, deps);
};

function collectionRoutes(api: Api, deps: LinkDeps & { readonly inTurn: InTurn }): void {
  api.post('/v1/links', {
    config: { role: 'editor', rateLimit: byApp('links-create', 60) },
    schema: {
      ...common,
      operationId: 'createLink',
      summary: 'Create a link',
      description:
        'With an Idempotency-Key, a repeated request with the same body within 24 hours gets the first answer.',
      documentedHeaders: IdempotencyHeader,
      body: CreateLink,
      bodyExample: {
        deepLinkPath: '/shoes/42',
        deepLinkParams: { colour: 'red' },
        campaignId: 'spring',
        iosDestination: 'https://apps.apple.com/app/id1234567890',
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shoes',
        fallbackUrl: 'https://www.example.com/shoes/42',
      },
      response: { 201: Link, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, body: input } = request;
      return reply.code(201).send(await createLink(deps, { actor, input, key: idempotencyKey(request) }));
    },
  });

  api.get('/v1/links', {
    config: { rateLimit: byApp('links-list', 120) },
    schema: {
      ...common,
      operationId: 'listLinks',
      summary: 'List links',
      querystring: ListLinks,
      response: { 200: Type.Array(Link), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const links = await deps.inTurn(actor.appId, () => listed(deps, actor, query));
      return await present(deps, actor, links, query.include);
    },
  });

  // Not below /v1/links/, where `tags` may be a link's code.
  api.get('/v1/tags', {
    config: { rateLimit: byApp('links-list', 120) },
    schema: {
      ...common,
      operationId: 'listTags',
      summary: 'List the tags of the links, with how many links have each',
      description: `By name, at most ${MAX_TAGS}, each in the spelling of the newest link that has it.`,
      response: { 200: Tags, ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => await deps.inTurn(actor.appId, () => listTags(deps.db, actor)),
  });
}

async function listed(
  deps: LinkDeps,
  { appId, mode }: Actor,
  { campaignId, madeBy, tag, q, search, state, sort, include: _, ...page }: Static<typeof ListLinks>,
): Promise<LinkRow[]> {
  const app = await deps.appDirectory.get(appId);
  return await listLinks(deps.db, appId, {
    ...{
      campaignId: campaignId ?? null,
      madeBy,
      tag,
      text: q ?? search,
      ownHost: app.short_link_host,
      sandboxOnly: mode === 'test',
    },
    ...page,
    expiry: state === undefined ? null : { state, now: isoTime(deps.clock.nowMs()) },
    sortBy: sort === 'createdAt' ? null : await deps.totalOf(appId, sort),
  });
}

function itemRoutes(api: Api, deps: LinkDeps): void {
  api.get('/v1/links/:shortCode', {
    schema: {
      ...common,
      operationId: 'readLink',
      summary: 'Read a link',
      params: Params,
      querystring: ReadLink,
      response: { 200: Link, ...errorResponses(400), ...one },
    },
    handler: async ({ actor, params: { shortCode }, query: { include } }) => {
      const link = await readLink(deps.db, { actor, shortCode });
      const [presented] = await present(deps, actor, [link], include);
      return presented as Static<typeof Link>;
    },
  });

  api.patch('/v1/links/:shortCode', {
    config: { role: 'editor', rateLimit: byApp('links-update', 60) },
    schema: {
      ...common,
      operationId: 'updateLink',
      summary: 'Change a link; only included fields change, null clears',
      description:
        'A link that was read can be changed and written back whole: read-only fields are ignored.',
      params: Params,
      body: WriteLink,
      bodyExample: { campaignId: 'summer', fallbackUrl: null },
      response: { 200: Link, ...errorResponses(400, 413, 415, 503), ...one },
    },
    handler: async ({ actor, params: { shortCode }, body: changes }) => {
      const link = await updateLink(deps, { actor, shortCode, changes });
      return { ...presentLink(await baseOf(deps, actor), link), ...warningsOf(changes) };
    },
  });

  api.delete('/v1/links/:shortCode', {
    config: { role: 'editor', rateLimit: byApp('links-delete', 60) },
    schema: {
      ...common,
      operationId: 'deleteLink',
      summary: 'Delete a link; its code stops redirecting and is never used again',
      params: Params,
      response: { 204: NoContent, ...one },
    },
    handler: async (request, reply) => {
      await deleteLink(deps, { actor: request.actor, shortCode: request.params.shortCode });
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

function qrCodeRoute(api: Api, deps: LinkDeps): void {
  api.get('/v1/links/:shortCode/qr', {
    schema: {
      ...common,
      operationId: 'drawQrCode',
      summary: 'Get the QR code of a link’s short URL as PNG or SVG',
      params: Params,
      querystring: ReadQrCode,
      response: { 200: Image, ...errorResponses(400), ...one },
    },
    handler: async ({ actor, params: { shortCode }, query }, reply) => {
      const link = await readLink(deps.db, { actor, shortCode });
      await spendPoints(deps, { actor, reply }, priceOf(query));
      const shortUrl = shortUrlOf(await baseOf(deps, actor), link);
      const { contentType, image } = await deps.qrDrawer.draw(
        query.query === undefined ? shortUrl : `${shortUrl}?${query.query}`,
        query,
      );
      return reply
        .header('content-type', contentType)
        .header('content-disposition', `inline; filename="${shortCode}.${query.format}"`)
        .send(image);
    },
  });
}

/** @throws AppError `rate.limited`. */
async function spendPoints(
  { rateLimits }: LinkDeps,
  { actor, reply }: { actor: Actor; reply: FastifyReply },
  points: number,
): Promise<void> {
  const count = await rateLimits.counterOf(QR_LIMIT).take(budgetOf(actor), points);
  if (!count?.isRefused) return;
  setRateLimitHeaders(reply, QR_LIMIT, count);
  throw rateLimited(
    count,
    `Too many QR codes: at most ${QR_LIMIT.points} points a minute, and this one takes ${points}. Ask for a smaller one, or try again`,
  );
}

async function present(
  deps: LinkDeps,
  actor: Actor,
  links: readonly LinkRow[],
  include: 'totals' | undefined,
): Promise<Static<typeof Link>[]> {
  const base = await baseOf(deps, actor);
  const totals = include === 'totals' ? await deps.readTotals(actor.appId, links) : null;
  return links.map((link) =>
    presentLink(base, link, totals === null ? undefined : (totals.get(link.id) ?? NO_TOTALS)),
  );
}

const NO_TOTALS: Totals = { clicks: 0, installs: 0 };

async function baseOf(
  { config, appDirectory }: { config: Config; appDirectory: AppDirectory },
  { appId }: Actor,
): Promise<ShortLinkBase> {
  return shortLinkBaseOf(config, await appDirectory.get(appId));
}
