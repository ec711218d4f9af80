import { StartError } from '../platform/errors.ts';

/**
 * The words after a command: one for each name and, where `more` is allowed, others behind them.
 * @param usage of that command alone, on one line.
 * @throws StartError that names what is missing or too much.
 */
export function readWords(
  usage: string,
  args: readonly string[],
  names: readonly string[],
  more: 'more' | 'no more' = 'no more',
): readonly string[] {
  const option = args.find((word) => word.startsWith('-'));
  if (option !== undefined) throw misused(usage, `There is no option “${option}”.`);
  const missing = names.find((_name, place) => !args[place]);
  if (missing !== undefined) throw misused(usage, `${missing} is missing.`);
  const extra = args[names.length];
  if (extra !== undefined && more === 'no more') throw misused(usage, `“${extra}” is one word too many.`);
  return args;
}

/** @param what a sentence about what does not fit; the usage follows it. */
export function misused(usage: string, what: string): StartError {
  return new StartError(`${what} Usage: ${usage}`);
}
