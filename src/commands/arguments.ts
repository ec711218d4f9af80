import { type ParseArgsConfig, parseArgs } from 'node:util';
import { StartError } from '../errors.ts';

/**
 * Checks positional arguments: one for each name, and further ones only with `more`.
 * @param usage one line, shown with the error.
 * @throws StartError that names the missing or unexpected argument.
 */
export function readArguments(
  usage: string,
  args: readonly string[],
  names: readonly string[],
  more: 'more' | 'no more' = 'no more',
): readonly string[] {
  const option = args.find((argument) => argument.startsWith('-'));
  if (option !== undefined) throw usageError(usage, `Unknown option “${option}”.`);
  const missing = names.find((_name, index) => !args[index]);
  if (missing !== undefined) throw usageError(usage, `${missing} is missing.`);
  const extra = args[names.length];
  if (extra !== undefined && more === 'no more') throw usageError(usage, `Unexpected argument “${extra}”.`);
  return args;
}

/** As `parseArgs` of Node. @throws StartError with the usage for an unknown option or a missing value. */
export function readOptions<Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageError(usage, `${(error as Error).message.split(/\.(?:\s|$)/, 1)[0]}.`);
  }
}

/** @param problem a sentence; the usage follows it. */
export function usageError(usage: string, problem: string): StartError {
  return new StartError(`${problem} Usage: ${usage}`);
}
