import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { pauseOf } from '../../lib/outgoing/index.ts';
import { reasonOf } from '../simulate/http.ts';
import type { Asked } from './answer.ts';
import { readPage } from './page.ts';
import type { RehearsedVisitor } from './visitors.ts';

const TIMEOUT_MS = 15_000;
const MAX_WAITS = 20;

export interface NewService {
  /** Address of the running service, without a trailing slash. */
  readonly url: string;
  /** Sent as `Host`. Over https the certificate must be for it, as a phone would ask. */
  readonly host: string;
  /** Where the app sends visitors of unknown paths; null if that is 404, or not known. */
  readonly notFoundUrl: string | null;
}

/**
 * What the service answers at the path of its own host. People are asked for by HEAD, which takes the whole way of a tap and
 * is recorded as `head`, so it adds to no number of people and claims no install. A chat needs the page, and its user agent is
 * no person's.
 * @throws StartError if there is no service.
 */
export async function askNew(
  service: NewService,
  path: string,
  visitor: RehearsedVisitor,
  signal: AbortSignal,
): Promise<Asked> {
  const method = visitor.readsCard ? 'GET' : 'HEAD';
  for (let waits = 0; ; waits += 1) {
    const { status, location, retryAfter, body } = await send(service, { method, path, visitor, signal });
    const pauseMs = pauseOf({ status, ...(retryAfter !== undefined && { retryAfter }) }, systemClock.nowMs());
    if (pauseMs !== null && waits < MAX_WAITS) {
      await sleep(pauseMs, undefined, { signal });
      continue;
    }
    const at = `https://${service.host}/${path}`;
    return { answer: answerOf({ status, location, body, at, visitor }), status, hops: [at] };
  }
}

function answerOf({
  status,
  location,
  body,
  at,
  visitor,
}: {
  status: number;
  location: string | undefined;
  body: string;
  at: string;
  visitor: RehearsedVisitor;
}): Asked['answer'] {
  if (status === 404 || status === 410) return { kind: 'ended' };
  if (location !== undefined && URL.canParse(location, at))
    return { kind: 'leads', to: new URL(location, at).href };
  if (status >= 400) throw new StartError(`The service answered ${status} for ${at}. See its log.`);
  const { card, addresses } = readPage(body, at);
  return visitor.readsCard ? { kind: 'card', at, card } : { kind: 'page', at, addresses };
}

interface Sent {
  readonly method: 'GET' | 'HEAD';
  readonly path: string;
  readonly visitor: RehearsedVisitor;
  readonly signal: AbortSignal;
}

async function send({ url, host }: NewService, { method, path, visitor, signal }: Sent) {
  const address = new URL(`${url}/${path}`);
  const request = address.protocol === 'https:' ? httpsRequest : httpRequest;
  const options = {
    method,
    headers: { ...visitor.headers, host },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(address, options, resolve).on('error', reject).end();
    });
    let body = '';
    for await (const piece of response.setEncoding('utf8')) body += piece;
    const { location, 'retry-after': retryAfter } = response.headers;
    return { status: response.statusCode ?? 0, location, retryAfter, body };
  } catch (error) {
    signal.throwIfAborted();
    throw new StartError(
      `The service at ${url} did not respond: ${reasonOf(error as Error)}. Start it, and run this again; --resume continues a report.`,
    );
  }
}
