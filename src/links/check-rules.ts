import { checkDestinations } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import { isMoment } from '../lib/clock.ts';
import type { LinkRule } from './rules.ts';

const MAX_RULES_BYTES = 32 * 1024;

/** What the schema cannot express. @throws AppError `request.invalid` that names the rule. */
export function checkRules(rules: readonly LinkRule[]): void {
  if (Buffer.byteLength(JSON.stringify(rules)) > MAX_RULES_BYTES)
    throw invalid('rules must be at most 32 KiB as JSON.');
  for (const [index, rule] of rules.entries()) {
    const place = `rules.${index}`;
    checkDestinations(rule.then, `${place}.then.`);
    const { from, to, osVersion } = rule.when;
    for (const [name, time] of Object.entries({ from, to }))
      if (time !== undefined && !isMoment(time))
        throw invalid(`${place}.when.${name} must be a date-time with a zone, such as 2026-12-31T23:59:59Z.`);
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
      throw invalid(`${place}.when.to must be later than from.`);
    if (osVersion !== undefined && osVersion.min === undefined && osVersion.max === undefined)
      throw invalid(`${place}.when.osVersion must have min, max or both.`);
  }
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
