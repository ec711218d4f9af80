/**
 * `npm run bench`: measures the real service process and reports Markdown on stdout.
 *
 *   npm run bench                            redirects against a bare server, and memory
 *   npm run bench -- installs                attributed installs against bare transactions
 *   npm run bench -- events                  events in batches and singly, against a bare server
 *   npm run bench -- decisions [--clicks N]  latency of decisions at 100,000 and at ten million (N) clicks
 *   npm run bench -- webhooks                latency and throughput of webhooks, and isolation from hanging receivers
 *   npm run bench -- destinations [--events N] [--pace N] [--engine E] [--dead hangs] [--single]
 *                                            a million (N) events to three destinations, one of them dead
 *   npm run bench -- paths                   look-ups of ten million paths at 1,000 hosts, and of 10,000
 *   npm run bench -- numbers [--clicks N] [--engine E]
 *                                            statistics, lists and exports with ten million (N) clicks and with 100,000
 *   npm run bench -- console [--clicks N] [--engine E]
 *                                            the console's first screen in Chromium with ten million (N) clicks
 *   npm run bench -- imports [--clicks N]    imports of half a million (N) links, and redirects meanwhile
 *   npm run bench -- rules                   the choice among a link's 20 rules, against the plainest loop
 *   npm run bench -- sdk                      10,000 phones with the client core on a bad network
 *   npm run bench -- start                   from the start to ready: `npm start` and the bundle
 *   npm run bench -- capacity [--clicks N]   cost per click, install, event and delivery, up to ten million (N) rows
 *   npm run bench -- soak [--minutes N] [--engine E]
 *                                            memory, handles and latency in an hour (N minutes) of mixed load, on both
 *                                            databases or one (`sqlite`, `postgres`)
 *
 * `--quick` runs short rounds as a functional test.
 */
import { parseArgs } from 'node:util';
import { benchCapacity } from './capacity/capacity.ts';
import { benchConsole } from './console/console.ts';
import { benchDecisions } from './decisions/decisions.ts';
import { benchDestinations } from './destinations/destinations.ts';
import { benchEvents } from './events/events.ts';
import { benchImports } from './imports/imports.ts';
import { benchInstalls } from './installs/installs.ts';
import { benchNumbers } from './numbers/numbers.ts';
import { benchPaths } from './paths/paths.ts';
import { benchRedirects } from './redirects/redirects.ts';
import { benchRules } from './rules/rules.ts';
import { benchSdk } from './sdk/sdk.ts';
import { benchSoak } from './soak/soak.ts';
import { benchStart } from './start/start.ts';
import { benchWebhooks } from './webhooks/webhooks.ts';

const BENCHES = {
  redirects: benchRedirects,
  paths: benchPaths,
  numbers: benchNumbers,
  console: benchConsole,
  capacity: benchCapacity,
  imports: benchImports,
  installs: benchInstalls,
  events: benchEvents,
  decisions: benchDecisions,
  webhooks: benchWebhooks,
  destinations: benchDestinations,
  rules: benchRules,
  sdk: benchSdk,
  soak: benchSoak,
  start: benchStart,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    clicks: { type: 'string' },
    minutes: { type: 'string' },
    engine: { type: 'string' },
    events: { type: 'string' },
    pace: { type: 'string' },
    dead: { type: 'string', default: 'refuses' },
    single: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? 'redirects';
if (!Object.hasOwn(BENCHES, name))
  throw new Error(`Unknown benchmark “${name}”; choose one of ${Object.keys(BENCHES).join(', ')}`);
const bench = BENCHES[name as keyof typeof BENCHES];
const clicks = values.clicks === undefined ? null : Number(values.clicks);
const minutes = values.minutes === undefined ? null : Number(values.minutes);
if (minutes !== null && !(minutes > 0))
  throw new Error(`--minutes must be a number above 0, not “${values.minutes}”`);
const engine = values.engine ?? null;
const { dead, single: isSingle } = values;
if (dead !== 'refuses' && dead !== 'hangs') throw new Error(`--dead must be refuses or hangs, not “${dead}”`);
const numberOf = (text: string | undefined) => (text === undefined ? null : Number(text));
const [events, pace] = [numberOf(values.events), numberOf(values.pace)];
// Child processes and directories are cleaned up on `exit`, which a signal alone does not emit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.stdout.write(
  await bench({ isQuick: values.quick, clicks, minutes, engine, events, pace, dead, isSingle }),
);
