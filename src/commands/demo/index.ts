import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../../config.ts';
import { StartError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { monotonicMs, systemClock } from '../../lib/clock.ts';
import { findServer } from '../../lib/data-dir/index.ts';
import { type Progress, showProgress } from '../output.ts';
import { Random } from '../traffic/random.ts';
import { withDatabase } from './database.ts';
import { DAYS, startOfDemo } from './days.ts';
import { recordDeliveries } from './deliveries.ts';
import { recordPostbacks } from './postbacks.ts';
import { type Counts, recordDays } from './record-days.ts';
import { findTellingInstall } from './telling-install.ts';
import { makeTenant, type Tenant } from './tenant.ts';

const PEOPLE = 220;
const MAX_PEOPLE = 5_000;
const MAX_SEED = 999_999;

const DEMO_USAGE = `throughline demo [--app APP_ID] [--people N] [--seed N]

Makes an app “Demo” and fills it with ${DAYS} days of believable traffic, so that the console has something to show: links,
clicks, installs with their traces, opens, events, deliveries of webhooks and postbacks. Works while the service runs too.

--app APP_ID     fill this app, which has no records yet
--people N       how many people tap or install on the last day, 1 to ${MAX_PEOPLE}; the default is ${PEOPLE}
--seed N         another number makes other traffic; the default is 1`;

interface Options {
  readonly appId: string | null;
  readonly people: number;
  readonly seed: number;
}

interface Result {
  readonly tenant: Tenant;
  readonly counts: Counts & { readonly deliveries: number; readonly postbacks: number };
  /** Whose trace tells the most. */
  readonly installId: string | null;
  /** Whether somebody can sign in. */
  readonly hasUser: boolean;
  readonly seconds: number;
}

/** Writes only past records: it can take minutes on a slow disk, and an interrupted run leaves its app part-filled. */
export async function demo(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options === null) return void process.stdout.write(`Usage:\n${DEMO_USAGE}\n`);
  const config = readConfig(process.env);
  const progress = showProgress();
  let result: Result;
  try {
    result = await withDatabase(config, (foundation) => fill(foundation, options, progress));
  } finally {
    progress.end();
  }
  process.stdout.write(`${describe(config, result)}\n`);
}

function readOptions(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        app: { type: 'string' },
        people: { type: 'string', default: String(PEOPLE) },
        seed: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return null;
    const people = readNumber('--people', values.people, { min: 1, max: MAX_PEOPLE });
    const seed = readNumber('--seed', values.seed, { min: 0, max: MAX_SEED });
    return { appId: values.app ?? null, people, seed };
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n\nUsage:\n${DEMO_USAGE}`);
  }
}

function readNumber(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not “${text}”.`);
}

async function fill(
  foundation: Foundation,
  { appId, people, seed }: Options,
  progress: Progress,
): Promise<Result> {
  const startedMs = monotonicMs();
  const nowMs = systemClock.nowMs();
  const startMs = startOfDemo(nowMs);
  const random = new Random(seed);
  const tenant = await makeTenant(foundation, { appId, random, startMs });
  const report = (text: string) => progress.report(text);
  const counts = await recordDays({ foundation, tenant, seed, people, nowMs, report });
  report('Delivering to webhooks, and receiving postbacks …');
  const deliveries = await recordDeliveries(foundation, { tenant, random, nowMs });
  const postbacks = await recordPostbacks(foundation, { tenant, random, startMs, nowMs });
  const { db } = foundation;
  const user = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  return {
    tenant,
    counts: { ...counts, deliveries, postbacks },
    installId: await findTellingInstall(db, tenant.app.id),
    hasUser: user !== undefined,
    seconds: (monotonicMs() - startedMs) / 1_000,
  };
}

function describe(config: Config, { tenant, counts, installId, hasUser, seconds }: Result): string {
  const { app, codes, keys } = tenant;
  const [firstCode = ''] = codes.values();
  const home = `${config.publicUrl}/console/${app.id}`;
  const number = (value: number) => value.toLocaleString('en-US');
  const places = [
    ['Overview', home],
    ['A link', `${home}/links/${firstCode}`],
    ...(installId === null ? [] : [['Why an install came', `${home}/installs/${installId}`] as const]),
    ['Events', `${home}/events`],
    ['Deliveries', `${home}/webhooks?tab=deliveries`],
    ['Postbacks', `${home}/postbacks`],
  ] as const;
  return [
    `The app “${app.name}” has ${DAYS} days of traffic now, made in ${seconds.toFixed(0)} s: ${number(counts.taps)} clicks, ${number(counts.installs)} installs, ${number(counts.opens)} opens, ${number(counts.events)} events, ${number(counts.deliveries)} attempts of deliveries and ${number(counts.postbacks)} postbacks.`,
    findServer(config) === null ? 'Start the service (npm start), then look at:' : 'Look at:',
    places.map(([name, address]) => `  ${name.padEnd(20)} ${address}`).join('\n'),
    ...(hasUser
      ? []
      : [
          'Nobody has an account of the console yet. Make yours at the address that the first start of the service prints; “npx throughline users setup” prints another one.',
        ]),
    `Keys of the app, shown only now:\n\n  live                 ${keys.live}\n  live publishable     ${keys.live_publishable}`,
  ].join('\n\n');
}
