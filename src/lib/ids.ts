import { randomFillSync } from 'node:crypto';
import { UUID, V7Generator } from 'uuidv7';
import type { Clock } from './clock.ts';

/** Generates record identifiers. */
export interface Ids {
  /** A new UUIDv7: carries its time, and sorts after earlier ones of the same process. */
  next(): string;
}

/** A larger step back of the clock resets the generator: later ids sort by the new time. */
const MAX_CLOCK_ROLLBACK_MS = 10_000;

/** Ids are ordered per generator, so a process creates one. */
export function createIds(clock: Clock): Ids {
  const generator = new V7Generator(bufferedRandom());
  return { next: () => generator.generateOrResetCore(clock.nowMs(), MAX_CLOCK_ROLLBACK_MS).toString() };
}

/** A batch of random numbers costs little more than one. */
function bufferedRandom(): { nextUint32(): number } {
  const buffer = new Uint32Array(2_048);
  let next = buffer.length;
  return {
    nextUint32() {
      if (next === buffer.length) {
        randomFillSync(buffer);
        next = 0;
      }
      return buffer[next++] ?? 0;
    },
  };
}

/** In place of an app's id, for records of the service itself. */
export const NO_APP = '00000000-0000-0000-0000-000000000000';

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any version, hyphenated: clients choose the version of their identifiers. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Time of a UUIDv7 in milliseconds since the epoch (RFC 9562 5.7); null for other UUIDs. */
export function uuidTimeMs(id: string): number | null {
  if (!isUuid(id) || id[14] !== '7') return null;
  const bytes = UUID.parse(id).bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, 6).readUIntBE(0, 6);
}

/** A lower bound of the UUIDv7s of a time; earlier ones sort below it. */
export function leastIdAt(timeMs: number): string {
  const time = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Both included. */
export interface IdRange {
  readonly from: string;
  readonly to: string;
}

/** With or without its hyphens, at least eight digits. */
const ID_START = /^[0-9a-f]{8,32}$/i;

/** The ids that a text begins, or that it is; null for a text that begins none. */
export function idRange(text: string): IdRange | null {
  const digits = text.replaceAll('-', '').toLowerCase();
  if (!ID_START.test(digits)) return null;
  const from = hyphenated(digits.padEnd(32, '0'));
  // Of a text with hyphens elsewhere no id begins.
  if (text.includes('-') && !from.startsWith(text.toLowerCase().replace(/-$/, ''))) return null;
  return { from, to: hyphenated(digits.padEnd(32, 'f')) };
}

function hyphenated(digits: string): string {
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join('-');
}
