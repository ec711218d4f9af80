import { SECOND_MS } from '../../lib/clock.ts';
import { type Outgoing, OutgoingError, type OutgoingResponse } from '../../lib/outgoing/index.ts';
import { AGENT } from './reach.ts';

/** Apple's limit of a file is 128 KiB uncompressed; a shared host has the apps of all. */
const REQUEST = { timeoutMs: 10 * SECOND_MS, maxResponseBytes: 8 * 1024 * 1024 } as const;

interface Asked {
  readonly accept?: string;
  readonly keepHeaders?: readonly string[];
}

/** @returns null if no complete answer came. */
export async function ask(
  outgoing: Pick<Outgoing, 'read'>,
  url: string,
  { accept, keepHeaders = [] }: Asked,
): Promise<OutgoingResponse | null> {
  try {
    const headers = { ...AGENT, ...(accept !== undefined && { accept }) };
    return await outgoing.read('GET', url, { ...REQUEST, keepHeaders, headers });
  } catch (error) {
    if (error instanceof OutgoingError) return null;
    throw error;
  }
}
