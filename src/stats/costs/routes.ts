import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { byApp } from '../../auth/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { createTurns, type InTurn } from '../../lib/turns.ts';
import { parseListBody, readBodiesWith } from '../../server/json-body.ts';
import { errorResponses, NoContent } from '../../server/schemas.ts';
import type { Api } from '../../server/server.ts';
import { findNamesOfCosts } from '../network-campaigns.ts';
import { listPage } from './list-costs.ts';
import { type CsvFile, readCsv } from './read-csv.ts';
import { removeCost, removeCosts } from './remove-cost.ts';
import {
  CostsDeleted,
  CostsStored,
  DeleteCosts,
  DocumentedCosts,
  ListCosts,
  MAX_COSTS,
  MAX_CSV_ROWS,
  MAX_UPLOAD_BYTES,
  presentCost,
  StoreCosts,
  StoreCostsQuery,
  StoredCost,
} from './schemas.ts';
import { storeCosts } from './store-costs.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the body is a CSV file of costs. */
    costsFile: CsvFile | null;
  }
}

type CostDeps = Pick<Foundation, 'db' | 'clock' | 'ids'>;
/** With the turns of an app: its uploads and deletions of many wait for each other. */
type UploadDeps = CostDeps & { readonly inTurn: InTurn };

const common = { tags: ['Statistics'] };
/** As each may parse and store as much as hundreds of other calls. */
const UPLOAD_LIMIT = byApp('costs', 60);

/** `/v1/costs`. */
export const costRoutes: FastifyPluginAsyncTypebox<CostDeps> = async (api, given) => {
  const deps = { ...given, inTurn: createTurns(1) };
  api.register(async (uploads: Api) => {
    readBodiesWith(uploads, parseListBody('costs', MAX_COSTS));
    readCsvBodies(uploads);
    uploadRoute(uploads, deps);
  });
  api.get('/v1/costs', {
    schema: {
      ...common,
      operationId: 'listCosts',
      summary: 'List costs, the newest day first',
      querystring: ListCosts,
      response: { 200: Type.Array(StoredCost), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const costs = await listPage(deps.db, { actor, query });
      const names = await findNamesOfCosts(deps.db, actor.appId, costs);
      return costs.map((cost) => presentCost(cost, names));
    },
  });
  deleteRoute(api, deps);
  api.delete('/v1/costs/:id', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'deleteCost',
      summary: 'Delete a cost',
      params: Type.Object({ id: Type.String() }),
      response: { 204: NoContent, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }, reply) => {
      await removeCost(deps, { actor, id: params.id });
      return reply.code(204).send(null);
    },
  });
};

function deleteRoute(api: Api, deps: UploadDeps): void {
  api.delete('/v1/costs', {
    config: { role: 'editor', rateLimit: UPLOAD_LIMIT },
    schema: {
      ...common,
      operationId: 'deleteCosts',
      summary: 'Delete the costs of days, of a campaign or network, or both',
      description:
        'At least one of `from`, `to`, `campaignId`, `network` and `networkCampaignId`, which leave the same costs as in `GET /v1/costs`. `confirm` is their number, so that no others are deleted by mistake.',
      querystring: DeleteCosts,
      response: { 200: CostsDeleted, ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => ({
      deleted: await deps.inTurn(actor.appId, () => removeCosts(deps, { actor, query })),
    }),
  });
}

/** A file has the same costs as a JSON body, each with its line. */
function readCsvBodies(scope: Api): void {
  scope.decorateRequest('costsFile', null);
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      request.costsFile = readCsv(bytes as Buffer);
      // For the schema of the body.
      done(null, { costs: [null] });
    } catch (error) {
      done(error as Error);
    }
  });
}

function uploadRoute(api: Api, deps: UploadDeps): void {
  api.post('/v1/costs', {
    config: { role: 'editor', rateLimit: UPLOAD_LIMIT },
    bodyLimit: MAX_UPLOAD_BYTES,
    schema: {
      ...common,
      operationId: 'storeCosts',
      summary: 'Store what was spent on campaigns, by day; a cost replaces the former one',
      description: `Up to ${MAX_COSTS} costs as JSON, or a CSV file of up to ${MAX_CSV_ROWS} rows with the columns \`date\`, \`campaignId\`, \`amount\` and \`currency\`, or \`network\` and \`networkCampaignId\` in place of \`campaignId\`. A cost with the same date, campaign and currency as a stored one replaces it. Wrong rows are reported, and the others stored. See docs/guide/costs.md.`,
      querystring: StoreCostsQuery,
      body: StoreCosts,
      documentedBody: DocumentedCosts,
      textBody: 'text/csv',
      bodyExample: {
        costs: [{ date: '2026-01-31', campaignId: 'spring', cost: { amount: '120.50', currency: 'EUR' } }],
      },
      response: { 200: CostsStored, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async ({ actor, body, query, costsFile }) => {
      const listed = body.costs.map((value, index) => ({
        row: index + 1,
        ...(value instanceof AppError ? { refusal: value.message } : { value }),
      }));
      const file = costsFile ?? { rows: listed, columns: null, ignoredColumns: [] };
      const upload = { ...file, isDryRun: query.dryRun === 'true' };
      return await deps.inTurn(actor.appId, () => storeCosts(deps, { actor, upload }));
    },
  });
}
