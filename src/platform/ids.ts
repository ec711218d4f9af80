import { randomFillSync } from 'node:crypto';
import { UUID, V7Generator } from 'uuidv7';
import type { Clock } from './clock.ts';

/** Makes record identifiers. */
export interface Ids {
  /** A new UUIDv7: it carries its time of making, and later ones sort after earlier ones of the same process. */
  next(): string;
}

/** How far the clock may step back before the generator gives up its order and starts anew. */
const MAX_CLOCK_ROLLBACK_MS = 10_000;

/** Each one keeps its own order, so a service has one. */
export function createIds(clock: Clock): Ids {
  const generator = new V7Generator(bufferedRandom());
  return { next: () => generator.generateOrResetCore(clock.nowMs(), MAX_CLOCK_ROLLBACK_MS).toString() };
}

/** Drawing thousands of random numbers at once costs little more than drawing one. */
function bufferedRandom(): { nextUint32(): number } {
  const drawn = new Uint32Array(2_048);
  let next = drawn.length;
  return {
    nextUint32() {
      if (next === drawn.length) {
        randomFillSync(drawn);
        next = 0;
      }
      return drawn[next++] ?? 0;
    },
  };
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for any UUID in its hyphenated form, whatever its version: identifiers made by clients may be of any. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** When a UUIDv7 was made, in milliseconds since the epoch (RFC 9562 section 5.7); null for any other UUID. */
export function uuidTimeMs(id: string): number | null {
  if (!isUuid(id) || id[14] !== '7') return null;
  const bytes = UUID.parse(id).bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, 6).readUIntBE(0, 6);
}

/** The least UUIDv7 that can be made at a time: what was made before sorts below it. */
export function leastIdAt(timeMs: number): string {
  const time = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}
