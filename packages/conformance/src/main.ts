#!/usr/bin/env node
/** The command line. */
import { parseArgs } from 'node:util';
import { checkService } from './check-service.ts';
import { report } from './report.ts';
import { namedService, type Service, startService } from './service.ts';
import { readScenarios, runSuite } from './suite.ts';

const USAGE = `Tests a client SDK of Throughline.

  throughline-conformance --client "node my-client.js"

  --client COMMAND    starts the client; see README.md for the lines that it reads and writes
  --service URL       the service to test against; in the repository of the service the default is to start one
  --live-key KEY      secret live key of an app made for tests; needed with --service
  --sdk-key KEY       publishable live key of the same app; needed with --service
  --only NAMES        scenarios to run, separated by commas
  --concurrency N     scenarios at once (default: 4)
  --patience MS       for how long an expectation may fail before it counts (default: 10000)
  --list              shows the scenarios
`;

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});

/** @returns the exit code: 1 if a scenario failed, 2 if none ran. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      client: { type: 'string' },
      service: { type: 'string' },
      'live-key': { type: 'string' },
      'sdk-key': { type: 'string' },
      only: { type: 'string', default: '' },
      concurrency: { type: 'string', default: '4' },
      patience: { type: 'string', default: '10000' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.list) {
    // At once, since a reader such as `head` may close the pipe after the first line.
    const lines = [...readScenarios()].map(([name, { title }]) => `${name}: ${title}\n`);
    process.stdout.write(lines.join(''));
    return 0;
  }
  if (values.help || values.client === undefined) {
    process.stdout.write(USAGE);
    return values.help ? 0 : 2;
  }
  const service = await choose(values);
  try {
    const outcomes = await runSuite({
      service,
      client: values.client,
      only: values.only.split(',').filter((name) => name !== ''),
      concurrency: whole(values.concurrency, 'concurrency'),
      patienceMs: whole(values.patience, 'patience'),
      onOutcome: ({ passed }) => process.stderr.write(passed ? '.' : 'F'),
    });
    process.stderr.write('\n');
    process.stdout.write(report(outcomes));
    return outcomes.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    await service.end();
  }
}

async function choose(values: {
  readonly service?: string | undefined;
  readonly 'live-key'?: string | undefined;
  readonly 'sdk-key'?: string | undefined;
}): Promise<Service> {
  if (values.service === undefined) return await startService();
  const { 'live-key': liveKey, 'sdk-key': sdkKey } = values;
  if (liveKey === undefined || sdkKey === undefined)
    throw new Error('--service needs --live-key and --sdk-key of an app made for tests');
  const url = URL.canParse(values.service) ? new URL(values.service) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('--service takes the address of a service, such as https://go.example.com');
  await checkService(url, { liveKey, sdkKey });
  return namedService(url, { liveKey, sdkKey });
}

function whole(text: string, name: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1`);
  return number;
}
