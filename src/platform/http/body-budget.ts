import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import type { preParsingHookHandler } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { normaliseAddress } from '../address.ts';
import { MINUTE_MS, monotonicMs } from '../clock.ts';
import type { Ctx } from '../ctx.ts';
import { AppError } from '../errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const PROCESS_BYTES = 64 * MIB;
/** Four batches of events of the largest size. */
const ADDRESS_BYTES = 16 * MIB;
/** Smaller bodies pass while others from the same address, such as a carrier's, have its 16 MiB. */
const LARGE_BODY_BYTES = 16 * KIB;
const RETRY_AFTER_SECONDS = 2;

/**
 * A hook that bounds the memory that request bodies take, from the first byte until the request is answered or its
 * connection is gone. A body counts with its `Content-Length`, or as it arrives where it has none.
 */
export function limitBodies(ctx: Ctx): preParsingHookHandler {
  const budget = new BodyBudget(ctx);
  return (request, reply, body, done) => {
    const { headers, ip, raw } = request;
    const announced = Number(headers['content-length'] ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    // A body above the limit of its route is refused unread.
    const isRead = isChunked || (announced > 0 && announced <= (request.routeOptions.bodyLimit ?? Infinity));
    if (!isRead || raw.socket.destroyed) return done(null, body);
    const hold = new Hold(budget, normaliseAddress(ip) ?? 'unknown');
    onceSettled(raw, reply.raw, () => hold.release());
    if (isChunked) return done(null, countArriving(body, hold));
    done(hold.add(announced), body);
  };
}

/** The bodies that this process receives or works on. */
class BodyBudget {
  readonly #log: Ctx['log'];
  readonly #refusedTotal: Counter<'bound'>;
  readonly #bytesByAddress = new Map<string, number>();
  #bytes = 0;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ log, metrics }: Ctx) {
    this.#log = log;
    this.#refusedTotal = new Counter({
      name: 'throughline_request_bodies_refused_total',
      help: 'Requests refused because bodies in flight reached a bound, by the bound: address or process',
      labelNames: ['bound'],
      registers: [metrics],
    });
    const bytes = () => this.#bytes;
    new Gauge({
      name: 'throughline_request_body_bytes',
      help: 'Bytes of request bodies in flight',
      registers: [metrics],
      collect() {
        this.set(bytes());
      },
    });
  }

  /**
   * Returns why the bytes are refused, or null. An address gets at most half of the free bytes, so the last ones go to
   * addresses that hold little: large bodies from many addresses do not keep small ones out.
   */
  take(address: string, bytes: number, isLarge: boolean): AppError | null {
    const held = (this.#bytesByAddress.get(address) ?? 0) + bytes;
    if (isLarge && held > ADDRESS_BYTES) {
      this.#refusedTotal.inc({ bound: 'address' });
      return new AppError('rate.limited', {
        message: `Bodies of more than 16 MiB arrive from this address at once. Send fewer at a time. Try again in ${RETRY_AFTER_SECONDS} s.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    if (held > (PROCESS_BYTES - this.#bytes) / 2) {
      this.#refusedTotal.inc({ bound: 'process' });
      this.#warn();
      return new AppError('server.busy');
    }
    this.#bytes += bytes;
    this.#bytesByAddress.set(address, held);
    return null;
  }

  giveBack(address: string, bytes: number): void {
    this.#bytes -= bytes;
    const held = (this.#bytesByAddress.get(address) ?? 0) - bytes;
    if (held > 0) this.#bytesByAddress.set(address, held);
    else this.#bytesByAddress.delete(address);
  }

  #warn(): void {
    if (monotonicMs() - this.#warnedAtMs < MINUTE_MS) return;
    this.#warnedAtMs = monotonicMs();
    const state = { bytes: this.#bytes, addresses: this.#bytesByAddress.size };
    this.#log.warn(state, 'request bodies reached their memory bound; requests are refused with 503');
  }
}

/** What one request has of the budget. */
class Hold {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  add(bytes: number): AppError | null {
    // After a refusal the rest of a body may still arrive, and is not kept.
    if (this.#isReleased) return null;
    const isLarge = this.#bytes + bytes > LARGE_BODY_BYTES;
    const refusal = this.#budget.take(this.#address, bytes, isLarge);
    if (refusal === null) this.#bytes += bytes;
    return refusal;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.giveBack(this.#address, this.#bytes);
  }
}

/** The response to a pipelined request has no `close` event when the connection closes before its turn. */
function onceSettled({ socket }: IncomingMessage, response: ServerResponse, settle: () => void): void {
  const onClose = () => {
    response.off('close', onClose);
    socket.off('close', onClose);
    settle();
  };
  response.on('close', onClose);
  socket.on('close', onClose);
}

function countArriving(body: Readable, hold: Hold): Readable {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(hold.add(chunk.length), chunk),
  });
  body.on('error', (error) => counted.destroy(error));
  return body.pipe(counted);
}
