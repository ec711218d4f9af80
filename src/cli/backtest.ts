/** `throughline backtest`: recorded traffic through today's matching, to see what it would have decided. */
import { once } from 'node:events';
import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Backtest, type Method, readTouch } from '../attribution/index.ts';
import { StartError } from '../platform/errors.ts';
import { misused } from './arguments.ts';

export const BACKTEST_USAGE = 'throughline backtest --input touches.ndjson --output decisions.ndjson';
const BACKTEST_HELP = `${BACKTEST_USAGE}

Runs recorded traffic of one app through the matching, each line with its own time for a clock.
The windows are the default ones, whatever an app's settings are. Nothing is stored, and no server is needed.

--input FILE     one JSON object on each line, in time order:
                 {"type":"click","id":UUID,"at":ISO 8601,"ipAddress","userAgent","acceptLanguage","campaignId","signals"}
                 {"type":"install","id":UUID,"at":ISO 8601,"fingerprint","installReferrer","clickId"}
                 (all fields and units: docs/matching.md)
--output FILE    one line for each install, {"installId","method","clickId","confidence","reason"}; what stood there
                 is replaced once the last line is through`;
const REPORT_EVERY_LINES = 20_000;

/** @throws StartError where words do not fit, or a file or line cannot be read: an output file stays as it was. */
export async function backtest(args: string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) return void process.stdout.write(`Usage:\n${BACKTEST_HELP}\n`);
  await refuseOneFile(options);
  const counts = await replaceWhole(options.output, (path) => decideAll(options, path));
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${total} ${total === 1 ? 'install' : 'installs'}\n`);
  for (const [method, count] of Object.entries(counts))
    process.stdout.write(`${method.padEnd(17)} ${count}\n`);
}

interface Options {
  readonly input: string;
  readonly output: string;
}

function readOptions(args: string[]): Options | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        input: { type: 'string' },
        output: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return null;
    const { input, output } = values;
    if (input && output) return { input, output };
  } catch (error) {
    throw misused(BACKTEST_USAGE, `${(error as Error).message.split(/\.(?:\s|$)/, 1)[0]}.`);
  }
  throw misused(BACKTEST_USAGE, '--input and --output are both needed.');
}

async function refuseOneFile({ input, output }: Options): Promise<void> {
  const [recording, present] = [await statOf(input), await statOf(output)];
  if (present?.isFile() && present.ino === recording?.ino && present.dev === recording.dev)
    throw new StartError(`${output} is the recording itself and would be lost. Name another --output.`);
}

/**
 * Has a file written beside its place, and puts it there when it is whole: a run that stops leaves the decisions of the
 * one before. What is no file, such as a pipe, is written to as it is.
 */
async function replaceWhole<T>(output: string, write: (path: string) => Promise<T>): Promise<T> {
  const present = await statOf(output);
  if (present !== null && !present.isFile()) return await write(output);
  const path = present === null ? output : await realpath(output);
  const beside = `${path}.${process.pid}.partial`;
  try {
    const result = await write(beside);
    await rename(beside, path);
    return result;
  } finally {
    await rm(beside, { force: true });
  }
}

/** Of the file itself where the path is a link to it; null where there is none. */
async function statOf(path: string): Promise<BigIntStats | null> {
  return await stat(path, { bigint: true }).catch(() => null);
}

async function decideAll({ input, output }: Options, path: string): Promise<Record<Method, number>> {
  const touches = await openTouches(input);
  const counts = { INSTALL_REFERRER: 0, CLICK_ID: 0, FINGERPRINT: 0, ORGANIC: 0 };
  const run = new Backtest();
  const notWritten = (error: unknown): never => {
    throw new StartError(`${output} cannot be written: ${(error as Error).message}.`);
  };
  const decisions = (await open(path, 'w').catch(notWritten)).createWriteStream();
  const failed = once(decisions, 'error').then(([error]: unknown[]) => notWritten(error));
  failed.catch(() => undefined);
  let number = 0;
  for await (const line of touches.readLines()) {
    number += 1;
    // Some editors begin a file with a byte order mark, which is white space here and an error to JSON.
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
  await finished(decisions).catch(notWritten);
  return counts;
}

async function openTouches(input: string): Promise<FileHandle> {
  try {
    const file = await open(input);
    if (!(await file.stat()).isDirectory()) return file;
    throw new Error('it is a folder');
  } catch (error) {
    const why = (error as Error).message;
    throw new StartError(`${input} cannot be read (${why}). Give a file with one JSON object on each line.`);
  }
}

function decideLine(run: Backtest, line: string, place: string): ReturnType<Backtest['take']> {
  try {
    return run.take(readTouch(line));
  } catch (error) {
    const what = (error as Error).message.replace(/\.$/, '');
    throw new StartError(`${place}: ${what}. Mend the line and run this again.`);
  }
}
