import { SECOND_MS } from '../../lib/clock.ts';
import { type Outgoing, OutgoingError, type OutgoingResponse } from '../../lib/outgoing/index.ts';
import { AGENT } from './reach.ts';

const TIMEOUT_MS = 10 * SECOND_MS;
/** Apple's limit of a file is 128 KiB. */
const MIN_BYTES = 128 * 1024;
/** Others may write a file with spaces; Google's answer has more words than the file. */
const MAX_RATIO = 16;

/** Bytes of an answer about a file of this service. Whoever owns the host chooses the answer, and to parse a large one stops all. */
export function roomFor(file: Buffer): number {
  return MIN_BYTES + MAX_RATIO * file.length;
}

interface Asked {
  /** A longer answer is cut. */
  readonly maxBytes: number;
  readonly accept?: string;
  readonly keepHeaders?: readonly string[];
}

/** @returns null if no complete answer came. */
export async function ask(
  outgoing: Pick<Outgoing, 'read'>,
  url: string,
  { maxBytes, accept, keepHeaders = [] }: Asked,
): Promise<OutgoingResponse | null> {
  try {
    const headers = { ...AGENT, ...(accept !== undefined && { accept }) };
    return await outgoing.read('GET', url, {
      ...{ timeoutMs: TIMEOUT_MS, maxResponseBytes: maxBytes, keepHeaders, headers },
    });
  } catch (error) {
    if (error instanceof OutgoingError) return null;
    throw error;
  }
}
