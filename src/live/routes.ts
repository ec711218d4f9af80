import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { findLinkIdByName } from '../links/index.ts';
import { errorResponses } from '../server/schemas.ts';
import { sandboxOf } from '../stats/index.ts';
import type { Live } from './live.ts';
import { parsePosition } from './message.ts';
import { LiveMessages, ReadLive } from './schemas.ts';
import type { LiveFilter } from './stream.ts';

interface LiveRouteDeps extends Pick<Foundation, 'db'> {
  readonly live: Live;
}

/** `GET /v1/live`. */
export const liveRoutes: FastifyPluginAsyncTypebox<LiveRouteDeps> = async (api, { db, live }) => {
  api.get('/v1/live', {
    // A stream without a body would never end.
    exposeHeadRoute: false,
    config: { isEndless: true, appInQuery: true },
    schema: {
      tags: ['Records'],
      operationId: 'streamRecords',
      summary: 'Stream human clicks, installs, opens and events as they are recorded',
      description:
        'Server-sent events. `Last-Event-ID` resumes after a message of the last minute. At most 5 streams of a key or user, and 20 of an app, are open in a process.',
      querystring: ReadLive,
      response: { 200: LiveMessages, ...errorResponses(400, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, query, headers } = request;
      await live.open({
        actor,
        filter: await toFilter(db, actor, query),
        resumed: parsePosition(headers['last-event-id']),
        start: () => startMessages(reply),
        authenticate: request.checkAgain,
      });
      return reply;
    },
  });
};

/** @throws AppError `request.invalid`, `link.not_found`. */
async function toFilter(
  db: Db,
  actor: Actor,
  { type, shortCode, campaignId, sandbox }: Static<typeof ReadLive>,
): Promise<LiveFilter> {
  const flag = sandboxOf(actor, sandbox === undefined ? undefined : sandbox === 'true');
  const linkId = shortCode === undefined ? undefined : await findLinkIdByName(db, actor.appId, shortCode);
  // A list would be empty; a stream would be silent for ever.
  if (shortCode !== undefined && linkId === undefined) throw new AppError('link.not_found');
  return { sandbox: flag, linkId, campaignId, type };
}

function startMessages(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack();
  return reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // For nginx, which would hold messages back.
    'x-accel-buffering': 'no',
  });
}
