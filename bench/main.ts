/**
 * `npm run bench`: what the service costs, measured on the real process and reported as Markdown.
 *
 *   npm run bench                            redirects against a bare server, and memory
 *   npm run bench -- pages                   landing pages against redirects
 *   npm run bench -- installs                attributed installs against bare transactions
 *   npm run bench -- events                  events in batches and one by one, against a bare server
 *   npm run bench -- decisions [--clicks N]  what a decision costs at 100,000 clicks and at ten million (N)
 *   npm run bench -- webhooks                how soon and how fast webhooks arrive, and beside hanging receivers
 *   npm run bench -- erasure                 what erasing a person costs, and what redirects feel of it
 *   npm run bench -- postbacks               verified postbacks a second, against bare `crypto.verify`
 *   npm run bench -- capacity [--clicks N]   what one click, install, event and delivery costs, up to ten million rows (N)
 *   npm run bench -- soak [--minutes N] [--engine E]
 *                                            an hour (N minutes) of mixed load on either database (`sqlite`, `postgres`): memory,
 *                                            handles, latency
 *
 * With `--quick`: short rounds, to see that it all works.
 */
import { parseArgs } from 'node:util';
import { benchCapacity } from './capacity.ts';
import { benchDecisions } from './decisions.ts';
import { benchErasure } from './erasure.ts';
import { benchEvents } from './events.ts';
import { benchInstalls } from './installs.ts';
import { benchPages } from './pages.ts';
import { benchPostbacks } from './postbacks.ts';
import { benchRedirects } from './redirects.ts';
import { benchSoak } from './soak.ts';
import { benchWebhooks } from './webhooks.ts';

const BENCHES = {
  redirects: benchRedirects,
  capacity: benchCapacity,
  installs: benchInstalls,
  events: benchEvents,
  decisions: benchDecisions,
  webhooks: benchWebhooks,
  erasure: benchErasure,
  postbacks: benchPostbacks,
  pages: benchPages,
  soak: benchSoak,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    clicks: { type: 'string' },
    minutes: { type: 'string' },
    engine: { type: 'string' },
  },
});
const name = positionals[0] ?? 'redirects';
if (!Object.hasOwn(BENCHES, name)) throw new Error(`there is no bench “${name}”: ${Object.keys(BENCHES)}`);
const bench = BENCHES[name as keyof typeof BENCHES];
const clicks = values.clicks === undefined ? null : Number(values.clicks);
const minutes = values.minutes === undefined ? null : Number(values.minutes);
if (minutes !== null && !(minutes > 0))
  throw new Error(`--minutes must be a number above 0, not “${values.minutes}”`);
const engine = values.engine ?? null;
// Servers and directories go by this process's `exit`, which a signal alone does not bring about.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.stdout.write(await bench({ isQuick: values.quick, clicks, minutes, engine }));
