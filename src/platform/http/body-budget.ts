import { type Readable, Transform } from 'node:stream';
import type { preParsingHookHandler } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { normaliseAddress } from '../address.ts';
import { MINUTE_MS, monotonicMs } from '../clock.ts';
import type { Ctx } from '../ctx.ts';
import { AppError } from '../errors.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Small bodies have a budget of their own, so that large ones never keep them out: 16 of the 64 MiB of a process. */
export const SMALL_BODY_BYTES = 16 * KIB;
const SMALL_BODIES_BYTES = 16 * MIB;
const LARGE_BODIES_BYTES = 48 * MIB;
/** Four batches of events of the largest size. */
const LARGE_BODIES_OF_ADDRESS_BYTES = 16 * MIB;
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
    reply.raw.once('close', () => hold.release());
    if (isChunked) return done(null, countArriving(body, hold));
    done(hold.add(announced), body);
  };
}

/** The bytes that bodies of one size have in flight. */
class Pool {
  readonly #maxBytes: number;
  readonly #maxBytesOfAddress: number;
  readonly #bytesByAddress = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number, maxBytesOfAddress: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesOfAddress = maxBytesOfAddress;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the bound that refuses the bytes, or null. An address may hold half of what is free, so some is left. */
  take(address: string, bytes: number): Bound | null {
    const held = (this.#bytesByAddress.get(address) ?? 0) + bytes;
    if (held > this.#maxBytesOfAddress) return 'address';
    if (held > (this.#maxBytes - this.#bytes) / 2) return 'process';
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
}

type Bound = 'address' | 'process';

/** The bodies that this process receives or works on. */
class BodyBudget {
  readonly small = new Pool(SMALL_BODIES_BYTES, SMALL_BODIES_BYTES);
  readonly large = new Pool(LARGE_BODIES_BYTES, LARGE_BODIES_OF_ADDRESS_BYTES);
  readonly #log: Ctx['log'];
  readonly #refusedTotal: Counter<'bound'>;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ log, metrics }: Ctx) {
    this.#log = log;
    this.#refusedTotal = new Counter({
      name: 'throughline_request_bodies_refused_total',
      help: 'Requests refused because bodies in flight reached a bound, by the bound: address or process',
      labelNames: ['bound'],
      registers: [metrics],
    });
    const bytes = () => this.small.bytes + this.large.bytes;
    new Gauge({
      name: 'throughline_request_body_bytes',
      help: 'Bytes of request bodies in flight',
      registers: [metrics],
      collect() {
        this.set(bytes());
      },
    });
  }

  refuse(bound: Bound): AppError {
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
      { smallBytes: this.small.bytes, largeBytes: this.large.bytes },
      'Request bodies reached their memory bound; requests are refused with 503',
    );
  }
}

/** The bytes of one request. */
class Hold {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #pool: Pool;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
    this.#pool = budget.small;
  }

  add(bytes: number): AppError | null {
    // After a refusal the rest of a body may still arrive, and is not kept.
    if (this.#isReleased) return null;
    const wanted = this.#bytes + bytes;
    this.#giveBack();
    this.#pool = wanted > SMALL_BODY_BYTES ? this.#budget.large : this.#budget.small;
    const bound = this.#pool.take(this.#address, wanted);
    if (bound !== null) return this.#budget.refuse(bound);
    this.#bytes = wanted;
    return null;
  }

  release(): void {
    this.#isReleased = true;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#pool.giveBack(this.#address, this.#bytes);
    this.#bytes = 0;
  }
}

function countArriving(body: Readable, hold: Hold): Readable {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(hold.add(chunk.length), chunk),
  });
  body.on('error', (error) => counted.destroy(error));
  return body.pipe(counted);
}
