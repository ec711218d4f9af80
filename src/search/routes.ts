import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { ReadInTurn } from '../server/read-turns.ts';
import { errorResponses } from '../server/schemas.ts';
import { Search, SearchResults } from './schemas.ts';
import { type SearchDeps, search } from './search.ts';

/** `GET /v1/search`. */
export const searchRoutes: FastifyPluginAsyncTypebox<SearchDeps & { readonly inTurn: ReadInTurn }> = async (
  api,
  deps,
) => {
  api.get('/v1/search', {
    schema: {
      operationId: 'search',
      tags: ['Records'],
      summary: 'Find what an id, a user, a short code, a title, a tag or a campaign leads to',
      querystring: Search,
      response: { 200: SearchResults, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => ({
      results: await deps.inTurn(actor.appId, () => search(deps, actor, query.q)),
    }),
  });
};
