import { type Readable, Transform } from 'node:stream';
import type { preParsingHookHandler } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { normaliseAddress } from '../lib/address.ts';
import type { Log } from '../lib/log.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Smaller bodies are bounded by the number of connections alone: idle requests could hold a budget of theirs. */
export const SMALL_BODY_BYTES = 16 * KIB;
const PROCESS_BYTES = 64 * MIB;
const ADDRESS_BYTES = 16 * MIB;
const RETRY_AFTER_SECONDS = 2;

/**
 * Bounds the memory of bodies above 16 KiB, from the first byte until the response ends or the connection closes.
 * A body counts with its `Content-Length`, a chunked one as it arrives.
 */
export function limitBodies({ log, metrics }: Pick<Foundation, 'log' | 'metrics'>): preParsingHookHandler {
  const budget = new BodyBudget({ log, metrics });
  return (request, reply, body, done) => {
    const { headers, ip, raw } = request;
    const announced = Number(headers['content-length'] ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    // The framework refuses such a body unread.
    const isTooLarge = announced > (request.routeOptions.bodyLimit ?? Infinity);
    if (request.routeOptions.config.streamedForMs !== undefined) return done(null, body);
    const isCounted = isChunked || (announced > SMALL_BODY_BYTES && !isTooLarge);
    if (!isCounted || raw.socket.destroyed) return done(null, body);
    const reservation = new Reservation(budget, normaliseAddress(ip) ?? 'unknown');
    reply.raw.once('close', () => reservation.release());
    if (isChunked) return done(null, countChunks(body, reservation));
    done(reservation.add(announced), body);
  };
}

type Bound = 'address' | 'process';

class BodyBudget {
  readonly #log: Log;
  readonly #refusedTotal: Counter<'bound'>;
  readonly #bytesByAddress = new Map<string, number>();
  #bytes = 0;

  constructor({ log, metrics }: Pick<Foundation, 'log' | 'metrics'>) {
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

  /** Returns the refusal, or null. One address gets half of the free bytes at most, so other addresses find some. */
  reserve(address: string, bytes: number): AppError | null {
    const held = (this.#bytesByAddress.get(address) ?? 0) + bytes;
    if (held > ADDRESS_BYTES) return this.#refuse('address');
    if (held > (PROCESS_BYTES - this.#bytes) / 2) return this.#refuse('process');
    this.#bytes += bytes;
    this.#bytesByAddress.set(address, held);
    return null;
  }

  release(address: string, bytes: number): void {
    this.#bytes -= bytes;
    const held = (this.#bytesByAddress.get(address) ?? 0) - bytes;
    if (held > 0) this.#bytesByAddress.set(address, held);
    else this.#bytesByAddress.delete(address);
  }

  #refuse(bound: Bound): AppError {
    this.#refusedTotal.inc({ bound });
    if (bound === 'process') {
      this.#warn();
      return new AppError('server.busy', { isLogged: true });
    }
    return new AppError('rate.limited', {
      message: `More than 16 MiB of request bodies in flight from this address. Send fewer at a time. Try again in ${RETRY_AFTER_SECONDS} s.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  #warn(): void {
    this.#log.warn(
      { bytes: this.#bytes, addresses: this.#bytesByAddress.size },
      'Request bodies reached their memory limit; refusing large ones with 503',
    );
  }
}

/** The share of one request in the budget. */
class Reservation {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #receivedBytes = 0;
  #reservedBytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  add(bytes: number): AppError | null {
    // After a refusal the rest of the body may still arrive; it is discarded.
    if (this.#isReleased) return null;
    this.#receivedBytes += bytes;
    if (this.#receivedBytes <= SMALL_BODY_BYTES) return null;
    const refusal = this.#budget.reserve(this.#address, this.#receivedBytes - this.#reservedBytes);
    if (refusal === null) this.#reservedBytes = this.#receivedBytes;
    return refusal;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.release(this.#address, this.#reservedBytes);
  }
}

function countChunks(body: Readable, reservation: Reservation): Readable {
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(reservation.add(chunk.length), chunk),
  });
  body.on('error', (error) => counted.destroy(error));
  return body.pipe(counted);
}
