import { parseArgs } from 'node:util';
import { monotonicMs } from '../platform/clock.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { StartError } from '../platform/errors.ts';
import { print } from './apps.ts';
import { noProgress, type Progress, showProgress } from './progress.ts';
import { serverAt } from './simulate/http.ts';
import { type Life, live } from './simulate/life.ts';
import { Links } from './simulate/links.ts';
import { invitePeople } from './simulate/people.ts';
import { drawTable, explainFaults, record, summarise, tellStories } from './simulate/report.ts';
import { findAddresses, findRunning, setStage } from './simulate/stage.ts';

const MAX_PEOPLE = 1_000;
/** So many live at a time. */
const CROWD = 8;

const SIMULATE_USAGE = `throughline simulate [--people N] [--app APP_ID] [--one-address] [--quiet] [--json]

Sends people through the running server, from the tap on a link to the events in the app, and says how much of what
it made of them is right. They meet an app that is made for the run.

--people N       how many, 1 to ${MAX_PEOPLE}; 30 unless told
--app APP_ID     an app that is there, with its settings; all it gets are sandbox records
--one-address    everybody has one address, as behind a proxy that TRUST_PROXY does not name
--quiet          no progress and no stories
--json           one JSON object instead of the story`;

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
  /** Whether each person had an address of their own. */
  readonly addresses: 'own' | 'one';
  readonly seconds: number;
  /** One of the links, to try by hand. */
  readonly shortUrl: string | null;
  readonly lives: readonly Life[];
}

/** Drives simulated people through the running server, and tells what it answered and how much of that was right. */
export async function simulate(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) return void process.stdout.write(`Usage:\n${SIMULATE_USAGE}\n`);
  const config = readConfig(process.env);
  const progress = options.quiet ? noProgress : showProgress();
  let run: Run;
  try {
    run = await runThrough(config, options, progress);
  } finally {
    progress.end();
  }
  if (options.json) print(asJson(run));
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

async function runThrough(config: Config, options: Options, progress: Progress): Promise<Run> {
  const startedMs = monotonicMs();
  const { url, adminToken } = await findRunning(config);
  const server = serverAt(url, (seconds) => progress.say(`The server asks to wait ${seconds} s …`));
  const addressAt = options.oneAddress ? null : await findAddresses(url);
  const people = invitePeople(options.people, addressAt);
  const stage = await setStage(server, adminToken, options.appId);
  try {
    const { appId, secretKey, sdkKey } = stage;
    const links = new Links(server, secretKey);
    const lives = await inCrowd(people, async (person, done) => {
      progress.say(`${done} of ${people.length} people are through, ${person.name} is on the way …`);
      return await live({ server, links, sdkKey }, person);
    });
    return {
      server: url,
      appId,
      addresses: addressAt === null ? 'one' : 'own',
      seconds: Number(((monotonicMs() - startedMs) / 1_000).toFixed(1)),
      shortUrl: (await links.anyLink())?.shortUrl ?? null,
      lives,
    };
  } finally {
    // What went wrong before is what is told.
    await stage.clear().catch(() => undefined);
  }
}

/** Each in turn, some at a time. The first that fails ends it. */
async function inCrowd<T, R>(list: readonly T[], work: (item: T, done: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = list.entries();
  let done = 0;
  const worker = async () => {
    for (const [index, item] of waiting) {
      results[index] = await work(item, done);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CROWD }, worker));
  return results;
}

function asJson({ lives, ...run }: Run): object {
  return { ...run, ...summarise(lives), records: lives.map(record) };
}

function asText(run: Run, { quiet, oneAddress, appId }: Options): string {
  const { people, phones, taps, events, identified, installs, opens } = summarise(run.lives);
  const parts = [
    `${people} came to ${run.server} in ${run.seconds} s, ${phones} of them with a phone: ${taps} taps, ${events} events, ${identified} signed in.`,
    run.addresses === 'own'
      ? null
      : `All of them had one address${oneAddress ? '' : ', since the server is reached from no other here'}: phones that look alike cannot be told apart.`,
    quiet ? null : tellStories(run.lives),
    drawTable({ installs, opens }),
    explainFaults(run.lives),
    afterwards(run, appId === null ? 'live' : 'test'),
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

/** The run's own keys are revoked by now. */
function afterwards({ server, appId, shortUrl, lives }: Run, keyKind: 'live' | 'test'): string {
  const link = shortUrl === null ? '' : `, one of its links ${shortUrl}`;
  const installs = lives.flatMap(({ install }) => install ?? []);
  const install = installs.find(({ method }) => method === 'FINGERPRINT') ?? installs[0];
  const trace =
    install === undefined ? '' : `\ncurl -H "X-Api-Key: $KEY" ${server}/v1/installs/${install.installId}`;
  return `To look at it afterwards: the app is ${appId}${link}. Put the key that the second line makes into KEY; the last line then shows an install, and why it was decided so.

npx throughline apps show ${appId}
npx throughline keys create ${appId} ${keyKind}${trace}`;
}
