/** `throughline backtest`: runs recorded traffic through the current matching. */
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { THRESHOLD_PERCENT } from '../../apps/index.ts';
import type { Method } from '../../attribution/index.ts';
import { StartError } from '../../errors.ts';
import { readOptions, usageError } from '../arguments.ts';
import { replaceFile, statOrNull } from '../replace-file.ts';
import { Backtest } from './replay.ts';
import { readTouch } from './touches.ts';

export const BACKTEST_USAGE =
  'throughline backtest --input touches.ndjson --output decisions.ndjson [--threshold 0.7]';
const BACKTEST_HELP = `${BACKTEST_USAGE}

Runs recorded traffic of one app through the matching. The time of each line is the clock.
The windows are the default ones. Nothing is stored, and no server is needed.

--input FILE     one JSON object on each line, in time order:
                 {"type":"click","id":UUID,"at":ISO 8601,"ipAddress","userAgent","acceptLanguage","campaignId","signals"}
                 {"type":"install","id":UUID,"at":ISO 8601,"fingerprint","installReferrer","clickId"}
                 (all fields and units: docs/internals/matching.md)
--output FILE    one line for each install: {"installId","method","clickId","confidence","reason"}.
                 An existing file is replaced after the last line
--threshold T    least probability of a fingerprint match, from ${THRESHOLD_PERCENT.min / 100} to ${THRESHOLD_PERCENT.max / 100}, as fingerprintThreshold of
                 an app. Default ${THRESHOLD_PERCENT.default / 100}`;
const REPORT_EVERY_LINES = 20_000;

/** @throws StartError for invalid options, an unreadable file or an invalid line; an existing output file is kept. */
export async function backtest(args: string[]): Promise<void> {
  const options = readGiven(args);
  if (options === null) return void process.stdout.write(`Usage:\n${BACKTEST_HELP}\n`);
  await refuseSameFile(options);
  const counts = await replaceFile(options.output, (path) => decideAll(options, path));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { threshold } = options;
  const isOther = threshold * 100 !== THRESHOLD_PERCENT.default;
  const installs = `${total} ${total === 1 ? 'install' : 'installs'}`;
  process.stdout.write(`${installs}${isOther ? `, fingerprints matched from ${threshold} on` : ''}\n`);
  for (const [method, count] of Object.entries(counts))
    process.stdout.write(`${method.padEnd(17)} ${count}\n`);
}

interface Given {
  readonly input: string;
  readonly output: string;
  readonly threshold: number;
}

/** Returns null for `--help`. */
function readGiven(args: string[]): Given | null {
  const { values } = readOptions(BACKTEST_USAGE, {
    args,
    options: {
      input: { type: 'string' },
      output: { type: 'string' },
      threshold: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const { input, output } = values;
  if (!input || !output) throw usageError(BACKTEST_USAGE, '--input and --output are required.');
  return { input, output, threshold: readThreshold(values.threshold) };
}

function readThreshold(text = String(THRESHOLD_PERCENT.default / 100)): number {
  const percent = /^\d?\.?\d+$/.test(text) ? Number(text) * 100 : Number.NaN;
  if (percent >= THRESHOLD_PERCENT.min && percent <= THRESHOLD_PERCENT.max) return Number(text);
  throw usageError(BACKTEST_USAGE, '--threshold must be a number from 0.5 to 0.99.');
}

async function refuseSameFile({ input, output }: Given): Promise<void> {
  const [source, target] = [await statOrNull(input), await statOrNull(output)];
  if (target?.isFile() && target.ino === source?.ino && target.dev === source.dev)
    throw new StartError(`${output} is the input file and would be overwritten. Name another --output.`);
}

async function decideAll({ input, output, threshold }: Given, path: string): Promise<Record<Method, number>> {
  const touches = await openTouches(input);
  const counts = { INSTALL_REFERRER: 0, CLICK_ID: 0, FINGERPRINT: 0, ORGANIC: 0 };
  const run = new Backtest(threshold);
  const throwWriteError = (error: unknown): never => {
    throw new StartError(`Failed to write ${output}: ${(error as Error).message}.`);
  };
  const decisions = (await open(path, 'w').catch(throwWriteError)).createWriteStream();
  const failed = once(decisions, 'error').then(([error]: unknown[]) => throwWriteError(error));
  failed.catch(() => undefined);
  let number = 0;
  for await (const line of touches.readLines()) {
    number += 1;
    // `trim` also removes a byte order mark, which JSON.parse rejects.
    const text = line.trim();
    if (text === '') continue;
    const decision = decideLine(run, text, `${input}, line ${number}`);
    if (decision !== null) {
      counts[decision.method] += 1;
      if (!decisions.write(`${JSON.stringify(decision)}\n`))
        await Promise.race([once(decisions, 'drain'), failed]);
    }
    if (number % REPORT_EVERY_LINES === 0) process.stderr.write(`${number} lines …\n`);
  }
  decisions.end();
  await finished(decisions).catch(throwWriteError);
  return counts;
}

async function openTouches(input: string): Promise<FileHandle> {
  try {
    const file = await open(input);
    if (!(await file.stat()).isDirectory()) return file;
    throw new Error('it is a folder');
  } catch (error) {
    const why = (error as Error).message;
    throw new StartError(
      `Failed to read ${input} (${why}). It must be a file with one JSON object on each line.`,
    );
  }
}

function decideLine(run: Backtest, line: string, location: string): ReturnType<Backtest['take']> {
  try {
    return run.take(readTouch(line));
  } catch (error) {
    const problem = (error as Error).message.replace(/\.$/, '');
    throw new StartError(`${location}: ${problem}. Correct the line and run the command again.`);
  }
}
