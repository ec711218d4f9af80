/** What receivers say in the bodies of their answers. */
import type { ItemResult, RefusedWhole } from './destination-type.ts';

const MAX_REASON_CHARACTERS = 300;

/** @returns null for anything but a JSON object, such as the page of a proxy or a cut answer. */
export function parseAnswer(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) ? answer : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For what a receiver answers before it has looked at the items, such as a wrong key. */
export function retryEach(items: readonly unknown[], reason: string): ItemResult[] {
  return items.map(() => ({ outcome: 'retry', reason: reasonOf(reason) }));
}

export function refusedEach(items: readonly unknown[], reason: string): ItemResult[] {
  return items.map(() => ({ outcome: 'refused', reason: reasonOf(reason) }));
}

/** @param reason in the receiver's words. */
export function refusedWhole(reason: string): RefusedWhole {
  return { refusedWhole: reasonOf(reason) };
}

/**
 * @param reasons by index of the item. @param others what happened to those without a reason.
 * @returns null if the answer names no item, or one that is not of the call.
 */
export function refusedSome(
  items: readonly unknown[],
  reasons: ReadonlyMap<number, string>,
  others: ItemResult,
): ItemResult[] | null {
  if (reasons.size === 0 || [...reasons.keys()].some((index) => !(index in items))) return null;
  return items.map((_, index) => {
    const reason = reasons.get(index);
    return reason === undefined ? others : { outcome: 'refused', reason: reasonOf(reason) };
  });
}

function reasonOf(text: string): string {
  return text.slice(0, MAX_REASON_CHARACTERS).toWellFormed();
}
