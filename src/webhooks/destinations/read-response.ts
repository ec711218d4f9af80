/** What a response says of the records of a call. Pure. */

import type { AnyType } from './destination.ts';
import type { ItemResult } from './destination-type.ts';
import type { Sendable } from './judge.ts';

export type ResponseRead =
  /** One for each record. */
  | { readonly results: readonly ItemResult[] }
  /** Some record is wrong. */
  | { readonly refusedWhole: string }
  /** No record is to blame: all are sent again. */
  | { readonly isHeld: true; readonly reason: string | null };

/** The address, the key, the receiver's state; also answers with a redirect. */
const NOT_OF_RECORDS = new Set([401, 402, 403, 404, 405, 407, 408, 410, 421, 423, 425, 426, 429, 451]);
const MAX_REASON_CHARACTERS = 300;

export function readResponse(
  type: AnyType,
  sent: readonly Sendable[],
  response: { readonly status: number; readonly body: string },
): ResponseRead {
  const { status, body } = response;
  const read = type.readResponse(
    response,
    sent.map(({ item }) => item),
  );
  if (read !== null && 'refusedWhole' in read) return read;
  if (read !== null) {
    const [first] = read;
    const isHeld = first?.outcome === 'retry' && read.every(({ outcome }) => outcome === 'retry');
    return isHeld ? { isHeld, reason: first.reason } : { results: read };
  }
  if (status >= 200 && status < 300)
    return type.isSuccess?.(body) === false
      ? { isHeld: true, reason: describeForeign(type, body) }
      : { results: sent.map(() => ({ outcome: 'accepted' })) };
  if (!blamesRecords(status)) return { isHeld: true, reason: null };
  return { refusedWhole: `${type.title} answered ${status}: ${body.slice(0, MAX_REASON_CHARACTERS)}` };
}

function blamesRecords(status: number): boolean {
  return status >= 400 && status < 500 && !NOT_OF_RECORDS.has(status);
}

const MAX_FOREIGN_CHARACTERS = 100;

function describeForeign({ title }: AnyType, body: string): string {
  const start = body.trim().slice(0, MAX_FOREIGN_CHARACTERS).toWellFormed();
  const answer = start === '' ? 'It is empty.' : `It begins with: ${start}`;
  return `The answer is none of ${title} to records that it took. Check the address, and whether a proxy or a sign-in page answers in its place; the records wait. ${answer}`;
}
