import type { FAILING, NamedApp } from './failing-links.ts';
import type { PROBLEMS } from './schemas.ts';

export interface Problem {
  readonly code: (typeof PROBLEMS)[number] | (typeof FAILING)[number];
  readonly message: string;
  readonly apps: NamedApp[];
}

export type Add = (
  code: Problem['code'],
  sentences: readonly (string | null | undefined)[],
  apps?: readonly NamedApp[],
) => void;

/** Since when Apple does not answer about tokens of Apple Ads, and why. */
export interface AppleAway {
  readonly sinceMs: number;
  readonly reason: string;
}

const MAX_NAMED = 5;

/** The first five of a list. */
export function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
