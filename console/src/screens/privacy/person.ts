import type { ErasureCounted, ErasureCounts } from '@generated/types.gen.ts';
import { plural } from '../../formats.ts';

/** Whom a request is about. */
export interface Person {
  readonly userId?: string;
  readonly ipAddress?: string;
  readonly requesterEmail?: string;
}

/** What was found of a person. */
export interface Found {
  readonly person: Person;
  readonly counted: ErasureCounted;
}

export const KINDS: readonly (readonly [kind: keyof ErasureCounts, one: string, name: string])[] = [
  ['clicks', 'click', 'Clicks'],
  ['installs', 'install', 'Installs'],
  ['openEvents', 'open', 'Opens'],
  ['events', 'event', 'Events'],
  ['webhookMessages', 'webhook message', 'Webhook messages'],
  ['waitingPurchases', 'waiting purchase', 'Waiting purchases'],
];

export function personOf(form: HTMLFormElement): Person {
  const fields = new FormData(form);
  const given = ['userId', 'ipAddress', 'requesterEmail'].flatMap((name) => {
    const text = String(fields.get(name) ?? '').trim();
    return text === '' ? [] : [[name, text]];
  });
  return Object.fromEntries(given) as Person;
}

export function nameOf({ userId, ipAddress }: Person): string {
  return [userId, ipAddress].filter((text) => text !== undefined).join(' and ');
}

export function isNothing(counts: ErasureCounts): boolean {
  return KINDS.every(([kind]) => counts[kind] === 0);
}

/** Such as “2 clicks, 1 install and 3 events”. */
export function inWords(counts: ErasureCounts): string {
  const parts = KINDS.flatMap(([kind, one]) => (counts[kind] === 0 ? [] : [plural(counts[kind], one)]));
  return parts.length === 0 ? 'nothing' : LIST.format(parts);
}

const LIST = new Intl.ListFormat('en', { type: 'conjunction' });

export function without(counts: ErasureCounts, shared: ErasureCounts): ErasureCounts {
  return combine(counts, shared, (a, b) => a - b);
}

export function sum(one: ErasureCounts, two: ErasureCounts): ErasureCounts {
  return combine(one, two, (a, b) => a + b);
}

function combine(one: ErasureCounts, two: ErasureCounts, join: (a: number, b: number) => number) {
  const counts = KINDS.map(([kind]) => [kind, join(one[kind], two[kind])]);
  return Object.fromEntries(counts) as unknown as ErasureCounts;
}
