/** `throughline backtest`: recorded traffic through today's matching, to see what it would have decided. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Backtest, type Method, readTouch } from '../attribution/index.ts';
import { StartError } from '../platform/errors.ts';
import { misused } from './arguments.ts';

export const BACKTEST_USAGE = 'throughline backtest --input touches.ndjson --output decisions.ndjson';
const REPORT_EVERY_LINES = 20_000;

export async function backtest(args: string[]): Promise<void> {
  const { input, output } = readOptions(args);
  const counts = await decideAll(input, output);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  process.stdout.write(`${total} installs\n`);
  for (const [method, count] of Object.entries(counts))
    process.stdout.write(`${method.padEnd(17)} ${count}\n`);
}

function readOptions(args: string[]): { input: string; output: string } {
  try {
    const { values } = parseArgs({
      args,
      options: { input: { type: 'string' }, output: { type: 'string' } },
    });
    const { input, output } = values;
    if (input && output) return { input, output };
  } catch (error) {
    throw misused(BACKTEST_USAGE, `${(error as Error).message.split('. ')[0]}.`);
  }
  throw misused(BACKTEST_USAGE, '--input and --output are both needed.');
}

async function decideAll(input: string, output: string): Promise<Record<Method, number>> {
  const touches = await openTouches(input);
  const counts = { INSTALL_REFERRER: 0, CLICK_ID: 0, FINGERPRINT: 0, ORGANIC: 0 };
  const run = new Backtest();
  const decisions = createWriteStream(output);
  const failed = once(decisions, 'error').then(([error]: unknown[]) => {
    throw new StartError(`${output} cannot be written: ${(error as Error).message}.`);
  });
  failed.catch(() => undefined);
  let number = 0;
  for await (const line of touches.readLines()) {
    number += 1;
    if (line.trim() === '') continue;
    const decision = decideLine(run, line, `${input}, line ${number}`);
    if (decision !== null) {
      counts[decision.method] += 1;
      if (!decisions.write(`${JSON.stringify(decision)}\n`))
        await Promise.race([once(decisions, 'drain'), failed]);
    }
    if (number % REPORT_EVERY_LINES === 0) process.stderr.write(`${number} lines …\n`);
  }
  decisions.end();
  await Promise.race([finished(decisions), failed]);
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
    throw new StartError(`${place}: ${(error as Error).message}. Mend the line and run this again.`);
  }
}
