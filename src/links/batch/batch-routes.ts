/** `/v1/links/batch` and `/v1/links/deletions`. */
import type { FastifyReply } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { type Actor, budgetOf } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { createTurns } from '../../lib/turns.ts';
import { IdempotencyHeader, idempotencyKey } from '../../server/idempotency.ts';
import { parseListBody, readBodiesWith } from '../../server/json-body.ts';
import { type RateLimits, rateLimited, setRateLimitHeaders } from '../../server/rate-limit.ts';
import { errorResponses, Named } from '../../server/schemas.ts';
import type { Api } from '../../server/server.ts';
import type { UpdateDeps } from '../change-link.ts';
import { warningsOf } from '../choice/path-warnings.ts';
import type { CreateDeps } from '../create-link.ts';
import { shortLinkBaseOf } from '../link.ts';
import { CreateLink, presentLink, UpdateOfBatch } from '../schemas.ts';
import { DeleteLinks, LinksCreated, LinksDeleted, LinksUpdated, MAX_LINKS } from './batch-schemas.ts';
import { deleteLinks, updateLinks } from './change-links.ts';
import { createLinks, toRefusal } from './create-links.ts';

type BatchDeps = CreateDeps & UpdateDeps & Pick<Foundation, 'log'> & { readonly rateLimits: RateLimits };

const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** Links a minute of an app, in whatever number of calls. */
const LIMIT = { name: 'links-batch', points: 6_000, shared: true };

const common = { tags: ['Links'] };
const errors = errorResponses(400, 401, 413, 415, 429, 503);
const linksOf = (schema: TSchema) => ({
  links: Type.Array(schema, { minItems: 1, maxItems: MAX_LINKS }),
});
// The handler validates each link, so that an invalid one does not fail the others.
const body = Type.Object(linksOf(Type.Unsafe<unknown>({})));

export function batchRoutes(api: Api, given: BatchDeps): void {
  // One call of an app at a time, so that its many links delay no other app's calls.
  const deps = { ...given, inTurn: createTurns(1) };
  api.register(async (scope: Api) => {
    readBodiesWith(scope, parseListBody('links', MAX_LINKS));
    creationRoute(scope, deps);
    updateRoute(scope, deps);
  });
  deletionRoute(api, deps);
}

type Deps = BatchDeps & { readonly inTurn: ReturnType<typeof createTurns> };

function creationRoute(api: Api, deps: Deps): void {
  api.post('/v1/links/batch', {
    config: { role: 'editor' },
    bodyLimit: MAX_BODY_BYTES,
    schema: {
      ...common,
      operationId: 'createLinks',
      summary: 'Create up to 500 links; one that is refused spoils no other',
      description:
        'Each link counts against a limit of 6,000 a minute. With an Idempotency-Key, a repeated request with the same body within 24 hours makes no link twice and gets the first answers. 503 if none was created; if only some were, 200 with 503 as the status of the others.',
      documentedHeaders: IdempotencyHeader,
      body,
      documentedBody: Named('CreateLinks', linksOf(CreateLink)),
      bodyExample: {
        links: [{ deepLinkPath: '/shoes/42', tags: ['Spring'] }, { deepLinkPath: '/shoes/43' }],
      },
      response: { 200: LinksCreated, ...errors, ...errorResponses(409) },
    },
    handler: async (request, reply) => {
      const { actor } = request;
      const items = request.body.links;
      await spend(deps, { actor, reply }, items.length);
      const key = idempotencyKey(request);
      return { results: await deps.inTurn(actor.appId, () => createLinks(deps, { actor, items, key })) };
    },
  });
}

function updateRoute(api: Api, deps: Deps): void {
  api.patch('/v1/links/batch', {
    config: { role: 'editor' },
    bodyLimit: MAX_BODY_BYTES,
    schema: {
      ...common,
      operationId: 'updateLinks',
      summary: 'Change up to 500 links; one that is refused spoils no other',
      description:
        'Each with its `shortCode` and the fields to change, as in PATCH /v1/links/{shortCode}. Each link counts against a limit of 6,000 a minute.',
      body,
      documentedBody: Named('UpdateLinks', linksOf(UpdateOfBatch)),
      bodyExample: { links: [{ shortCode: 'spring-shoes', tags: ['Spring', 'Posters'], campaignId: null }] },
      response: { 200: LinksUpdated, ...errors },
    },
    handler: async ({ actor, body: { links: items } }, reply) => {
      await spend(deps, { actor, reply }, items.length);
      const base = shortLinkBaseOf(deps.config, await deps.appDirectory.get(actor.appId));
      const outcomes = await deps.inTurn(actor.appId, () => updateLinks(deps, { actor, items }));
      return {
        results: outcomes.map((link, place) =>
          link instanceof AppError
            ? toRefusal(link)
            : { status: 200, link: { ...presentLink(base, link), ...warningsOf(items[place] as object) } },
        ),
      };
    },
  });
}

function deletionRoute(api: Api, deps: Deps): void {
  api.post('/v1/links/deletions', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'deleteLinks',
      summary: 'Delete up to 500 links; their codes stop redirecting and are never used again',
      description: 'Each link counts against a limit of 6,000 a minute.',
      body: DeleteLinks,
      bodyExample: { shortCodes: ['spring-shoes', 'spring-hats'] },
      response: { 200: LinksDeleted, ...errors },
    },
    handler: async ({ actor, body: { shortCodes } }, reply) => {
      await spend(deps, { actor, reply }, shortCodes.length);
      const outcomes = await deps.inTurn(actor.appId, () => deleteLinks(deps, { actor, shortCodes }));
      return {
        results: outcomes.map((link) => (link instanceof AppError ? toRefusal(link) : { status: 204 })),
      };
    },
  });
}

/** @throws AppError `rate.limited` for more links than are left; they are not counted. */
async function spend(
  { rateLimits }: BatchDeps,
  { actor, reply }: { actor: Actor; reply: FastifyReply },
  links: number,
): Promise<void> {
  const counter = rateLimits.counterOf(LIMIT);
  const count = await counter.take(budgetOf(actor), links);
  if (count === null) return;
  setRateLimitHeaders(reply, LIMIT, count);
  if (!count.isRefused) return;
  await counter.refund(budgetOf(actor), links);
  throw rateLimited(
    count,
    `Too many links: at most ${LIMIT.points} a minute in batches. Send fewer at once, or try again`,
  );
}
