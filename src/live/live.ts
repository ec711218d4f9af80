import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import { type Actor, CHECK_EVERY_MS, refusalOf } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { Feed } from './feed.ts';
import type { Position } from './message.ts';
import type { LiveFilter } from './stream.ts';
import { Stream } from './stream.ts';

const MAX_STREAMS_PER_KEY = 5;
/** By its keys and users together, so that no app takes the streams of all. */
const MAX_STREAMS_PER_APP = 20;
const MAX_STREAMS = 200;
const RETRY_AFTER_SECONDS = 5;

type LiveDeps = Pick<Foundation, 'db' | 'clock' | 'log' | 'metrics'>;

interface NewStream {
  readonly actor: Actor;
  readonly filter: LiveFilter;
  readonly resumed: Position | null;
  /** Sends the head of the response. */
  readonly start: () => ServerResponse;
  /** Rejects with an `AppError` below 500 once the caller may not read the app any more. */
  readonly authenticate: () => Promise<void>;
}

interface OpenStream extends Pick<NewStream, 'authenticate'> {
  readonly stream: Stream;
}

/** The open streams of this process. */
export class Live {
  readonly #deps: LiveDeps;
  /** By app. */
  readonly #feeds = new Map<string, Feed>();
  readonly #open = new Set<OpenStream>();
  /** Callers of open streams and of those that are being opened. */
  readonly #callers = new Set<Actor>();
  readonly #checks: Loop;
  #isStopping = false;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#checks = startLoop('live view keys', CHECK_EVERY_MS, deps.log, () => this.#check());
    const callers = this.#callers;
    new Gauge({
      name: 'throughline_live_streams',
      help: 'Open streams of the live view',
      registers: [deps.metrics],
      collect() {
        this.set(callers.size);
      },
    });
  }

  /** @throws AppError `live.too_many`, `server.busy`; an error of the database. Then `start` was not called. */
  async open(request: NewStream): Promise<void> {
    const caller = { ...request.actor };
    this.#assertRoom(caller);
    this.#callers.add(caller);
    try {
      const feed = this.#feedOf(caller.appId);
      const { stream, response } = await this.#start(request, feed);
      const open = { stream, authenticate: request.authenticate };
      this.#open.add(open);
      onceClosed(response, () => {
        feed.remove(stream);
        this.#open.delete(open);
        this.#callers.delete(caller);
      });
    } catch (error) {
      this.#callers.delete(caller);
      throw error;
    }
  }

  /** Ends all streams at once: their clients connect to another process, or to the next one. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { stream } of this.#open) stream.end();
    await Promise.all([this.#checks, ...this.#feeds.values()].map((loop) => loop.stop()));
  }

  #assertRoom({ appId, keyId }: Actor): void {
    const ofApp = [...this.#callers].filter((caller) => caller.appId === appId);
    if (ofApp.filter((caller) => caller.keyId === keyId).length >= MAX_STREAMS_PER_KEY)
      throw new AppError('live.too_many', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    if (ofApp.length >= MAX_STREAMS_PER_APP)
      throw new AppError('live.too_many', {
        message: `The app has ${MAX_STREAMS_PER_APP} open live streams, as many as it may. Try again after closing one.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    if (this.#callers.size >= MAX_STREAMS) throw busy(`This process has ${MAX_STREAMS} open live streams.`);
  }

  #feedOf(appId: string): Feed {
    const known = this.#feeds.get(appId);
    if (known !== undefined) return known;
    const feed = new Feed(this.#deps, appId);
    this.#feeds.set(appId, feed);
    return feed;
  }

  async #start(
    { filter, resumed, start }: NewStream,
    feed: Feed,
  ): Promise<{ stream: Stream; response: ServerResponse }> {
    const from = await feed.begin(resumed);
    if (this.#isStopping) throw busy('The service is stopping.');
    const response = start();
    const stream = new Stream({ response, clock: this.#deps.clock, filter }, from);
    feed.add(stream);
    return { stream, response };
  }

  async #check(): Promise<void> {
    await Promise.all([...this.#open].map(endIfRevoked));
    for (const [appId, feed] of this.#feeds)
      if (!feed.isInUse) {
        this.#feeds.delete(appId);
        await feed.stop();
      }
  }
}

async function endIfRevoked({ stream, authenticate }: OpenStream): Promise<void> {
  if ((await refusalOf(authenticate)) !== null) stream.end();
}

/** Also if it has closed before. */
function onceClosed(response: ServerResponse, done: () => void): void {
  if (response.destroyed) done();
  else response.once('close', done);
}

function busy(why: string): AppError {
  return new AppError('server.busy', { message: `${why} Try again after Retry-After seconds.` });
}
