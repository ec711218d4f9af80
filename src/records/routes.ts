import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { Db } from '../db/index.ts';
import { preferredType } from '../server/accept.ts';
import { errorResponses, JsonOr } from '../server/schemas.ts';
import { toCsv, toNdjson } from './formats.ts';
import { CLICKS, EVENTS, INSTALLS, OPENS, type RecordKind } from './kinds.ts';
import { exportRecords, listPage } from './list-records.ts';
import type { RecordTable } from './queries.ts';
import {
  ClickItem,
  EventItem,
  InstallItem,
  ListClicks,
  ListEvents,
  type ListInput,
  ListInstalls,
  ListOpens,
  OpenItem,
} from './schemas.ts';

const STREAMED = ['text/csv', 'application/x-ndjson'] as const;

/** `GET /v1/clicks`, `/v1/installs`, `/v1/opens` and `/v1/events`. */
export const recordRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  clicksApplied: () => Promise<void>;
}> = async (api, deps) => {
  const list = <T extends RecordTable>(
    operationId: string,
    kind: RecordKind<T>,
    querystring: TObject,
    item: TObject,
  ) =>
    api.get(`/v1/${kind.table}`, {
      schema: {
        operationId,
        tags: ['Records'],
        security: [{ apiKey: [] }],
        summary: `List ${kind.table}, newest first`,
        description:
          'With `Accept: text/csv` or `application/x-ndjson`, streams every matching record, oldest first, whatever `limit` and `before`. Erased records are left out.',
        querystring,
        response: { 200: JsonOr(Type.Array(item), ...STREAMED), ...errorResponses(400, 401, 429, 503) },
      },
      handler: async ({ method, actor, query, headers }, reply) => {
        const input = query as ListInput;
        const format = preferredType(headers.accept, ['application/json', ...STREAMED]);
        if (format === 'application/json') return (await listPage(deps, kind, { actor, input })) as never;
        const records = await exportRecords(deps, kind, { actor, input });
        // Fastify would read the whole export for a HEAD.
        if (method === 'HEAD') return sendStream(reply, format, []);
        return sendStream(reply, format, format === 'text/csv' ? toCsv(item, records) : toNdjson(records));
      },
    });
  list('listClicks', CLICKS, ListClicks, ClickItem);
  list('listInstalls', INSTALLS, ListInstalls, InstallItem);
  list('listOpens', OPENS, ListOpens, OpenItem);
  list('listEvents', EVENTS, ListEvents, EventItem);
};

/** Past the response's JSON schema. */
function sendStream(reply: FastifyReply, format: string, pieces: AsyncIterable<string> | string[]): never {
  return reply.type(`${format}; charset=utf-8`).send(Readable.from(pieces)) as never;
}
