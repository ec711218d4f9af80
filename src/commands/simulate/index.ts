import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { noProgress, type Progress, printJson, showProgress } from '../output.ts';
import { serverAt } from './http.ts';
import { type Journey, runJourney } from './journey.ts';
import { Links } from './links.ts';
import { createPeople } from './people.ts';
import { describeJourneys, explainErrors, formatTable, summarise, toRecord } from './report.ts';
import { findAddresses, findRunning, prepareApp } from './setup.ts';

const MAX_PEOPLE = 1_000;
const CONCURRENCY = 8;

const SIMULATE_USAGE = `throughline simulate [--people N] [--app APP_ID] [--one-address] [--quiet] [--json]

Simulates people on the running server, from the tap on a link to the events in the app, and reports how many
attributions were right. Creates a new app for the run.

--people N       number of people, 1 to ${MAX_PEOPLE}; the default is 30
--app APP_ID     use an existing app and its settings; all records are sandbox records
--one-address    use one address for all people, as behind a proxy that is missing in TRUST_PROXY
--quiet          show no progress and no journeys
--json           print one JSON object instead of the report`;

interface Options {
  readonly people: number;
  readonly appId: string | null;
  readonly oneAddress: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}

interface Run {
  readonly server: string;
  readonly appId: string;
  /** One address per person, or one for all. */
  readonly addresses: 'own' | 'one';
  readonly seconds: number;
  /** Any of the links. */
  readonly shortUrl: string | null;
  readonly journeys: readonly Journey[];
}

export async function simulate(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) return void process.stdout.write(`Usage:\n${SIMULATE_USAGE}\n`);
  const config = readConfig(process.env);
  const progress = options.quiet ? noProgress : showProgress();
  let run: Run;
  try {
    run = await runSimulation(config, options, progress);
  } finally {
    progress.end();
  }
  if (options.json) printJson(asJson(run));
  else process.stdout.write(`${asText(run, options)}\n`);
}

function readOptions(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        people: { type: 'string', default: '30' },
        app: { type: 'string' },
        'one-address': { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return null;
    const people = /^\d{1,4}$/.test(values.people) ? Number(values.people) : 0;
    if (people < 1 || people > MAX_PEOPLE)
      throw new Error(`--people must be a whole number from 1 to ${MAX_PEOPLE}, not “${values.people}”.`);
    const { app: appId = null, 'one-address': oneAddress, quiet, json } = values;
    return { people, appId, oneAddress, quiet, json };
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n\nUsage:\n${SIMULATE_USAGE}`);
  }
}

async function runSimulation(config: Config, options: Options, progress: Progress): Promise<Run> {
  const startedMs = monotonicMs();
  const { url, adminToken } = await findRunning(config);
  const server = serverAt(url, (seconds) => progress.report(`Rate limited; waiting ${seconds} s …`));
  const addressAt = options.oneAddress ? null : await findAddresses(url);
  const people = createPeople(options.people, addressAt);
  const app = await prepareApp(server, adminToken, options.appId);
  try {
    const { appId, secretKey, sdkKey } = app;
    const links = new Links(server, secretKey);
    const journeys = await mapConcurrently(people, async (person, done) => {
      progress.report(`${done} of ${people.length} people done, simulating ${person.name} …`);
      return await runJourney({ server, links, sdkKey }, person);
    });
    return {
      server: url,
      appId,
      addresses: addressAt === null ? 'one' : 'own',
      seconds: Number(((monotonicMs() - startedMs) / 1_000).toFixed(1)),
      shortUrl: (await links.anyLink())?.shortUrl ?? null,
      journeys,
    };
  } finally {
    // An error here must not hide an earlier one.
    await app.revokeKeys().catch(() => undefined);
  }
}

/** Keeps the order of `list`. Rejects with the first error. */
async function mapConcurrently<T, R>(
  list: readonly T[],
  work: (item: T, done: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = list.entries();
  let done = 0;
  const worker = async () => {
    for (const [index, item] of entries) {
      results[index] = await work(item, done);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

function asJson({ journeys, ...run }: Run): object {
  return { ...run, ...summarise(journeys), records: journeys.map(toRecord) };
}

function asText(run: Run, { quiet, oneAddress, appId }: Options): string {
  const { people, phones, taps, events, identified, installs, opens } = summarise(run.journeys);
  const parts = [
    `Simulated ${people} people on ${run.server} in ${run.seconds} s, ${phones} of them with a phone: ${taps} taps, ${events} events, ${identified} signed in.`,
    run.addresses === 'own'
      ? null
      : `All of them had one address${oneAddress ? '' : ', because this system offers no other'}: similar phones cannot be distinguished.`,
    quiet ? null : describeJourneys(run.journeys),
    formatTable({ installs, opens }),
    explainErrors(run.journeys),
    nextSteps(run, appId === null ? 'live' : 'test'),
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

/** The keys of the run are revoked, so these commands create another one. */
function nextSteps({ server, appId, shortUrl, journeys }: Run, keyKind: 'live' | 'test'): string {
  const link = shortUrl === null ? '' : `, one of its links ${shortUrl}`;
  const installs = journeys.flatMap(({ install }) => install ?? []);
  const install = installs.find(({ method }) => method === 'FINGERPRINT') ?? installs[0];
  const trace =
    install === undefined ? '' : `\ncurl -H "X-Api-Key: $KEY" ${server}/v1/installs/${install.installId}`;
  return `The app is ${appId}${link}. To inspect an install and its trace, set KEY to the key that the second command creates:

npx throughline apps show ${appId}
npx throughline keys create ${appId} ${keyKind}${trace}`;
}
