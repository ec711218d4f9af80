import { type Readable, Transform } from 'node:stream';
import type { preParsingHookHandler } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { normaliseAddress } from '../address.ts';
import { MINUTE_MS, monotonicMs } from '../clock.ts';
import type { Ctx } from '../ctx.ts';
import { AppError } from '../errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** The number of connections bounds smaller bodies. A budget for them could be held by idle requests, and refuse installs. */
export const SMALL_BODY_BYTES = 16 * KIB;
const PROCESS_BYTES = 64 * MIB;
/** Four batches of events of the largest size. */
const ADDRESS_BYTES = 16 * MIB;
const RETRY_AFTER_SECONDS = 2;

/**
 * A hook that bounds the memory that bodies above 16 KiB take, from the first byte until the request is answered or its
 * connection is gone. A body counts with its `Content-Length`, or as it arrives where it has none.
 */
export function limitBodies(ctx: Ctx): preParsingHookHandler {
  const budget = new BodyBudget(ctx);
  return (request, reply, body, done) => {
    const { headers, ip, raw } = request;
    const announced = Number(headers['content-length'] ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    // A body above the limit of its route is refused unread.
    const isTooLarge = announced > (request.routeOptions.bodyLimit ?? Infinity);
    const isCounted = isChunked || (announced > SMALL_BODY_BYTES && !isTooLarge);
    if (!isCounted || raw.socket.destroyed) return done(null, body);
    const hold = new Hold(budget, normaliseAddress(ip) ?? 'unknown');
    reply.raw.once('close', () => hold.release());
    if (isChunked) return done(null, countArriving(body, hold));
    done(hold.add(announced), body);
  };
}

type Bound = 'address' | 'process';

/** The large bodies that this process receives or works on. */
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
      help: 'Bytes of request bodies above 16 KiB in flight',
      registers: [metrics],
      collect() {
        this.set(bytes());
      },
    });
  }

  /** Returns why the bytes are refused, or null. An address may hold half of the free bytes, so some are left for others. */
  take(address: string, bytes: number): AppError | null {
    const held = (this.#bytesByAddress.get(address) ?? 0) + bytes;
    if (held > ADDRESS_BYTES) return this.#refuse('address');
    if (held > (PROCESS_BYTES - this.#bytes) / 2) return this.#refuse('process');
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

  #refuse(bound: Bound): AppError {
    this.#refusedTotal.inc({ bound });
    if (bound === 'process') {
      this.#warn();
      return new AppError('server.busy');
    }
    return new AppError('rate.limited', {
      message: `Bodies of more than 16 MiB arrive from this address at once. Send fewer at a time. Try again in ${RETRY_AFTER_SECONDS} s.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  #warn(): void {
    if (monotonicMs() - this.#warnedAtMs < MINUTE_MS) return;
    this.#warnedAtMs = monotonicMs();
    this.#log.warn(
      { bytes: this.#bytes, addresses: this.#bytesByAddress.size },
      'Request bodies reached their memory bound; large ones are refused with 503',
    );
  }
}

/** What one request has of the budget. */
class Hold {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #arrived = 0;
  #taken = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  add(bytes: number): AppError | null {
    // After a refusal the rest of a body may still arrive, and is not kept.
    if (this.#isReleased) return null;
    this.#arrived += bytes;
    if (this.#arrived <= SMALL_BODY_BYTES) return null;
    const refusal = this.#budget.take(this.#address, this.#arrived - this.#taken);
    if (refusal === null) this.#taken = this.#arrived;
    return refusal;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.giveBack(this.#address, this.#taken);
  }
}

function countArriving(body: Readable, hold: Hold): Readable {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(hold.add(chunk.length), chunk),
  });
  body.on('error', (error) => counted.destroy(error));
  return body.pipe(counted);
}
