import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest, FastifySchema } from 'fastify';
import { type TObject, Type } from 'typebox';
import { type Actor, operatorOf } from '../auth/index.ts';
import { findMarkedEvent } from '../events/index.ts';
import type { Foundation } from '../foundation.ts';
import type { OpenExports } from '../server/open-exports.ts';
import type { ReadInTurn } from '../server/read-turns.ts';
import { errorResponses, JsonOr } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { CLICKS, EVENTS, INSTALLS, OPENS, type RecordKind } from './kinds.ts';
import { exportRecords, listPage, type ListDeps as ReadDeps, readRecord } from './list-records.ts';
import { ListClicks, ListEvents, type ListInput, ListInstalls, ListOpens } from './parameters.ts';
import type { RecordTable } from './queries.ts';
import { recordExport } from './record-export.ts';
import { ClickItem, EventItem, InstallItem, OpenItem } from './schemas.ts';
import { STREAMED, sendExport, streamedFormat } from './send-export.ts';

const DESCRIPTION =
  'With `Accept: text/csv` or `application/x-ndjson`, streams every matching record, oldest first, whatever `limit`, `order`, `before` and `after`.';

const TOTAL = {
  'X-Total-Count': Type.String({
    description:
      'With `include=total`: the number of matching records, as `10000+` if there are more than 10,000',
  }),
};

const OPERATION_IDS = {
  clicks: 'listClicks',
  installs: 'listInstalls',
  opens: 'listOpens',
  events: 'listEvents',
} as const;

/** What differs between the lists of a key and those of the operator. */
interface Scope {
  readonly path: string;
  schemaOf(table: RecordTable): FastifySchema;
  actorOf(request: FastifyRequest): Actor | Promise<Actor>;
}

interface ListDeps extends ReadDeps, Pick<Foundation, 'clock' | 'ids'> {
  readonly openExports: OpenExports;
  readonly inTurn: ReadInTurn;
}

/** `GET /v1/clicks`, `/v1/installs`, `/v1/opens` and `/v1/events`, and one of them by its id. */
export const recordRoutes: FastifyPluginAsyncTypebox<ListDeps> = async (api, deps) => {
  addReads(api, deps);
  addLists(api, deps, {
    path: '/v1',
    schemaOf: (table) => ({
      operationId: OPERATION_IDS[table],
      tags: ['Records'],
      summary: `List ${table}`,
      response: errorResponses(400, 401, 429, 503),
    }),
    actorOf: ({ actor }) => actor,
  });
};

/** The same for the operator; the enclosing scope has found the operator. */
export const recordAdminRoutes: FastifyPluginAsyncTypebox<ListDeps> = async (api, deps) =>
  addLists(api, deps, {
    path: '/v1/admin/apps/:appId',
    schemaOf: (table) => ({
      operationId: `${OPERATION_IDS[table]}OfApp`,
      tags: ['Admin'],
      summary: `List an app’s ${table}`,
      params: Type.Object({ appId: Type.String() }),
      response: errorResponses(400, 401, 404, 429, 503),
    }),
    actorOf: ({ params, operator }) => operatorOf(deps.db, (params as { appId: string }).appId, operator),
  });

/** An install is read with its trace and its opens, by its own route. */
function addReads(api: Api, deps: ReadDeps): void {
  const read = <T extends RecordTable>(
    kind: RecordKind<T>,
    name: string,
    item: TObject,
    idOf?: (appId: string, id: string) => Promise<string | undefined>,
  ) =>
    api.get(`/v1/${kind.table}/:id`, {
      schema: {
        operationId: `read${name}`,
        tags: ['Records'],
        summary: `Read one of the ${kind.table}, as in their list`,
        params: Type.Object({ id: Type.String() }),
        response: { 200: item, ...errorResponses(401, 404, 429, 503) },
      },
      handler: async ({ actor, params }) =>
        (await readRecord(deps, kind, { actor, id: params.id, idOf })) as never,
    });
  read(CLICKS, 'Click', ClickItem);
  read(OPENS, 'Open', OpenItem);
  // By its own id, or the `eventId` that the client made.
  const eventOf = (appId: string, id: string) =>
    findMarkedEvent(deps.db, appId, deps.secrets.markId(appId, id));
  read(EVENTS, 'Event', EventItem, eventOf);
}

function addLists(api: Api, deps: ListDeps, { path, schemaOf, actorOf }: Scope): void {
  const list = <T extends RecordTable>(kind: RecordKind<T>, querystring: TObject, item: TObject) => {
    const schema = schemaOf(kind.table);
    const listed = { ...JsonOr(Type.Array(item), ...STREAMED), headers: TOTAL };
    const response = { 200: listed, ...(schema.response as object) };
    api.get(`${path}/${kind.table}`, {
      schema: { ...schema, description: DESCRIPTION, querystring, response },
      handler: async (request, reply) => {
        const actor = await actorOf(request);
        const input = request.query as ListInput;
        const format = streamedFormat(request);
        if (format === null) {
          const { items, total } = await deps.inTurn(actor.appId, () =>
            listPage(deps, kind, { actor, input }),
          );
          if (total !== null) reply.header('x-total-count', total);
          return items as never;
        }
        const chunks = await deps.inTurn(actor.appId, () => exportRecords(deps, kind, { actor, input }));
        deps.openExports.assertRoom(actor.appId);
        if (request.method !== 'HEAD')
          await recordExport(deps, { actor, table: kind.table, format, input: request.query as object });
        const records = { item, of: actor.appId, chunks };
        return sendExport({ ...deps, api }, { request, reply, format }, records) as never;
      },
    });
  };
  list(CLICKS, ListClicks, ClickItem);
  list(INSTALLS, ListInstalls, InstallItem);
  list(OPENS, ListOpens, OpenItem);
  list(EVENTS, ListEvents, EventItem);
}
