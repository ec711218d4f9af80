import type { Config, Throughline } from '@throughline/core';
import { createLinksOnly, memory } from '../links-only.ts';
import { logOf } from './log.ts';

const WHY =
  'This build of the app has no native half of @throughline/capacitor: run `npx cap sync` and build it again. Links are resolved, and nothing is recorded';

/**
 * For a build of the app that is older than its pages, as with live updates: the install is new to the build that has the
 * native half.
 */
export function createMissing(config: Config): Throughline {
  logOf(config)('error', WHY);
  return createLinksOnly(config, { storage: memory() }, `${WHY}.`);
}
