import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge } from 'prom-client';
import type { Foundation } from '../foundation.ts';
import { monotonicMs } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { bytesTaken, guardPipeline, responseInProgress, stopListening } from './node-http.ts';

const MAX_CONNECTIONS = 8_192;
/** File descriptors left for databases, files and outgoing connections; at most half of the limit. */
const RESERVED_DESCRIPTORS = 2_048;
/** Evicting many at once saves a flood from scanning all connections for each new one. */
const EVICTED_SHARE = 1 / 16;
const MAX_UNANSWERED_REQUESTS = 16;
/** On all connections together; each holds up to 16 KiB of headers. */
const MAX_QUEUED_REQUESTS = 1_024;
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const STALLED_AFTER_MS = 60_000;
const CHECK_EVERY_MS = 1_000;
const WARN_EVERY_MS = 60_000;
/** A request on an idle connection that ends at the same moment would be lost, so each gets time for one more. */
const IDLE_WHILE_DRAINING_MS = 1_000;
const CHECK_DRAINED_EVERY_MS = 10;
const MAX_TURNS = 1_000;
/** What arrives during a long turn waits at its end. */
const QUIET_TURN_MS = 1;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Label of the metric. */
type EndReason = 'pipelined' | 'stalled' | 'unread' | 'full';

interface QueuedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly respond: Respond;
}

interface Connection {
  readonly socket: Socket;
  /** Pipelined requests behind the one in progress, oldest first. */
  readonly queue: QueuedRequest[];
  bytesTaken: number;
  progressAtMs: number;
}

interface ProcessReport {
  readonly userLimits: { readonly open_files: { readonly soft: number | 'unlimited' } };
}

/** Bounds the connections, unanswered requests and unread responses that clients can make the server hold. */
export class Connections {
  /** Oldest first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #max: number;
  readonly #log: Log;
  readonly #endedTotal: Counter<'reason'>;
  readonly #ended: Partial<Record<EndReason, number>> = {};
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #queuedRequests = 0;
  #isClosing = false;
  #accepted = 0;
  #requests = 0;

  constructor({ log, metrics }: Pick<Foundation, 'log' | 'metrics'>, max = maxConnections()) {
    this.#log = log;
    this.#max = max;
    const open = this.#open;
    new Gauge({
      name: 'throughline_http_connections',
      help: 'Open connections of clients',
      registers: [metrics],
      collect() {
        this.set(open.size);
      },
    });
    this.#endedTotal = new Counter({
      name: 'throughline_http_connections_ended_total',
      help: 'Connections ended by the server: too many pipelined requests, a stalled reader, too much unread, too many connections',
      labelNames: ['reason'],
      registers: [metrics],
    });
  }

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.once('listening', () => {
      const check = setInterval(() => this.check(monotonicMs()), CHECK_EVERY_MS).unref();
      server.once('close', () => clearInterval(check));
    });
  }

  /**
   * Calls `respond` once the responses to all earlier requests of the connection are sent. A client that pipelines and
   * does not read makes the server hold one response only.
   */
  inOrder(request: IncomingMessage, response: ServerResponse, respond: Respond): void {
    if (responseInProgress(request.socket) === response) this.#start(request, response, respond);
    else this.#enqueue({ request, response, respond });
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** How many have begun. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * Lets clients leave: every response ends its connection, and after `acceptMs` no new one is accepted. Resolves once all
   * have ended, or those that are left have had a second for a last request.
   */
  async drain(server: Server, acceptMs: number): Promise<void> {
    if (acceptMs > 0) {
      this.beginClosing();
      await sleep(acceptMs);
    }
    await this.#quietTurn();
    stopListening(server);
    // Not before: clients would replace the connections that end by new ones.
    this.beginClosing();
    const untilMs = monotonicMs() + IDLE_WHILE_DRAINING_MS;
    while (this.#open.size > 0 && monotonicMs() < untilMs) await sleep(CHECK_DRAINED_EVERY_MS);
    // A busy machine may have let requests wait unread; a connection that ends with one is reset.
    await this.#quietTurn();
    server.closeIdleConnections();
  }

  /**
   * Waits until Node has read what the kernel holds. The kernel resets the connections that wait when the port closes, of
   * which Node accepts one in each turn of its loop. Those of a socket that was handed over wait for the next process.
   */
  async #quietTurn(): Promise<void> {
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const [accepted, startedMs] = [this.#accepted, monotonicMs()];
      await nextTurn();
      if (this.#accepted === accepted && monotonicMs() - startedMs < QUIET_TURN_MS) return;
    }
  }

  /** Later responses, and those in progress whose head is not sent, carry `Connection: close`. */
  beginClosing(): void {
    this.#isClosing = true;
    for (const socket of this.#open.keys()) {
      const response = responseInProgress(socket);
      if (response !== null) response.shouldKeepAlive = false;
    }
  }

  /** Ends connections that read nothing for a minute, and the longest stalled ones when too many bytes are unread. */
  check(nowMs: number): void {
    const unread: Connection[] = [];
    let unreadBytes = 0;
    for (const connection of this.#open.values()) {
      const { writableLength } = connection.socket;
      if (writableLength === 0) continue;
      noteProgress(connection, nowMs);
      if (nowMs - connection.progressAtMs >= STALLED_AFTER_MS) this.#end(connection.socket, 'stalled');
      else {
        unread.push(connection);
        unreadBytes += writableLength;
      }
    }
    if (unreadBytes > MAX_UNREAD_BYTES) this.#endLongestStalled(unread, unreadBytes);
    this.#warn(nowMs);
  }

  #start(request: IncomingMessage, response: ServerResponse, respond: Respond): void {
    this.#requests += 1;
    if (this.#isClosing) response.shouldKeepAlive = false;
    respond(request, response);
  }

  #enqueue(queued: QueuedRequest): void {
    const connection = this.#open.get(queued.request.socket);
    // The client has disconnected.
    if (connection === undefined) return;
    const previous = connection.queue.at(-1)?.response ?? responseInProgress(connection.socket);
    connection.queue.push(queued);
    this.#queuedRequests += 1;
    // `setImmediate`: other connections would wait for the whole pipeline.
    previous?.once('finish', () => setImmediate(() => this.#startNext(connection)));
  }

  #startNext({ socket, queue }: Connection): void {
    const next = queue.shift();
    if (next === undefined) return;
    this.#queuedRequests -= 1;
    // False when the previous response ended the connection.
    if (responseInProgress(socket) === next.response) this.#start(next.request, next.response, next.respond);
  }

  #add(socket: Socket): void {
    this.#accepted += 1;
    if (this.#open.size >= this.#max) this.#evict();
    if (this.#open.size >= this.#max) {
      this.#end(socket, 'full');
      return;
    }
    const connection = { socket, queue: [], bytesTaken: 0, progressAtMs: monotonicMs() };
    this.#open.set(socket, connection);
    guardPipeline(socket, () => this.#mayQueue(connection));
    socket.once('close', () => this.#remove(connection));
  }

  #remove({ socket, queue }: Connection): void {
    this.#open.delete(socket);
    this.#queuedRequests -= queue.length;
    queue.length = 0;
  }

  /** Past the limit the connection ends after its queued requests; clients retry the others (RFC 9112 9.3.2). */
  #mayQueue({ socket, queue }: Connection): boolean {
    if (queue.length + 1 < MAX_UNANSWERED_REQUESTS && this.#queuedRequests < MAX_QUEUED_REQUESTS) return true;
    const last = queue.at(-1)?.response ?? responseInProgress(socket);
    if (last !== null) {
      last.shouldKeepAlive = false;
      // The head of a response in progress may have been sent, without `Connection: close`.
      last.once('finish', () => socket.destroySoon());
    }
    this.#count('pipelined');
    return false;
  }

  /** Closes the oldest connections that wait for their client. */
  #evict(): void {
    let evictions = Math.ceil(this.#max * EVICTED_SHARE);
    for (const socket of this.#open.keys()) {
      if (!isWaitingForClient(socket)) continue;
      this.#end(socket, 'full');
      evictions -= 1;
      if (evictions === 0) return;
    }
  }

  #endLongestStalled(unread: Connection[], unreadBytes: number): void {
    let bytes = unreadBytes;
    for (const { socket } of unread.toSorted((a, b) => a.progressAtMs - b.progressAtMs)) {
      if (bytes <= MAX_UNREAD_BYTES) return;
      bytes -= socket.writableLength;
      this.#end(socket, 'unread');
    }
  }

  #end(socket: Socket, reason: EndReason): void {
    // The `close` event comes later, and the connection must not count until then.
    const connection = this.#open.get(socket);
    if (connection !== undefined) this.#remove(connection);
    socket.destroy();
    this.#count(reason);
  }

  #count(reason: EndReason): void {
    this.#endedTotal.inc({ reason });
    this.#ended[reason] = (this.#ended[reason] ?? 0) + 1;
  }

  #warn(nowMs: number): void {
    const ended = Object.entries(this.#ended);
    if (ended.length === 0 || nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#log.warn(
      { ended: Object.fromEntries(ended), open: this.#open.size, max: this.#max },
      'Ended connections of clients that exceed a limit; see throughline_http_connections_ended_total',
    );
    for (const [reason] of ended) delete this.#ended[reason as EndReason];
  }
}

function maxConnections(): number {
  // Incomplete in @types/node. A report with the network waits for DNS.
  const report = process.report as unknown as { excludeNetwork: boolean; getReport(): ProcessReport };
  report.excludeNetwork = true;
  const { soft } = report.getReport().userLimits.open_files;
  if (soft === 'unlimited') return MAX_CONNECTIONS;
  return Math.min(MAX_CONNECTIONS, soft - Math.min(RESERVED_DESCRIPTORS, Math.floor(soft / 2)));
}

/** True while idle, while a request arrives, and while a response is unread. */
function isWaitingForClient(socket: Socket): boolean {
  const response = responseInProgress(socket);
  return response === null || !response.req.complete || socket.writableLength > 0;
}

function noteProgress(connection: Connection, nowMs: number): void {
  const taken = bytesTaken(connection.socket);
  if (taken === connection.bytesTaken) return;
  connection.bytesTaken = taken;
  connection.progressAtMs = nowMs;
}
