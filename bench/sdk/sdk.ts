/**
 * Phones with the client core on a bad network, with kills: whether each install, open and event is recorded once, and
 * how many requests that takes.
 */
import { createThroughline, type DeepLink, type Throughline } from '@throughline/core';
import { Random } from '../../src/commands/traffic/random.ts';
import { countRows } from '../lib/database.ts';
import { machine, table, whole } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { SDK_KEY, type Service, startService } from '../lib/service.ts';
import { buildVisitors, LINKS, shortCode, type Visitor } from '../lib/visitors.ts';

const SEED = 20_261_125;
/** The bound of simultaneous phones keeps the clients of this process from competing for its one thread. */
const PHONES_AT_ONCE = 400;
const LOST_REQUESTS = 0.05;
const LOST_ANSWERS = 0.05;
const KILLS = 0.3;
const EVENTS_BY_SESSION = [3, 4] as const;
/** The install, the open, and one batch of events for each session. */
const LEAST_REQUESTS = 2 + EVENTS_BY_SESSION.length;

interface Tally {
  requests: number;
  links: number;
}

export async function benchSdk({ isQuick }: { isQuick: boolean }): Promise<string> {
  const phones = isQuick ? 300 : 10_000;
  await using postgres = await startPostgres();
  const lines: string[][] = [];
  for (const [engine, url] of [
    ['SQLite', null],
    ['PostgreSQL', await postgres.createDatabase('sdk')],
  ] as const) {
    await using service = await startService(url);
    lines.push([engine, ...(await usePhones(service, phones))]);
  }
  return [
    machine(postgres.version),
    '',
    `${whole(phones)} phones with the client core: the install, a session with ${EVENTS_BY_SESSION[0]} events, a start by a link, and a session with ${EVENTS_BY_SESSION[1]}. ${LOST_REQUESTS * 100} % of requests and ${LOST_ANSWERS * 100} % of answers are lost, and ${KILLS * 100} % of sessions end with a kill in the middle.`,
    '',
    table(
      [
        'Database',
        'Installs',
        'Opens',
        'Events',
        'Links delivered',
        'Requests at the service / least possible',
      ],
      lines,
    ),
    '',
  ].join('\n');
}

/** @throws unless everything is recorded once. */
async function usePhones(service: Service, count: number): Promise<string[]> {
  const tally: Tally = { requests: 0, links: 0 };
  const visitors = buildVisitors(count, SEED, 'android');
  let done = 0;
  const lane = async () => {
    for (let visitor = visitors.pop(); visitor !== undefined; visitor = visitors.pop()) {
      await new Phone(service, visitor, { tally, seed: visitors.length }).live();
      if (++done % 1_000 === 0) console.error(`${done} of ${count} phones`);
    }
  };
  await Promise.all(Array.from({ length: PHONES_AT_ONCE }, lane));
  const events = EVENTS_BY_SESSION.reduce((sum, n) => sum + n, 0) * count;
  const expected: [string, number][] = [
    ['installs', count],
    ['opens', count],
    ['events', events],
  ];
  const cells: string[] = [];
  for (const [name, wanted] of expected) {
    const stored = await countRows(service.reader, name);
    if (stored !== wanted) throw new Error(`${stored} ${name} are stored, not ${wanted}`);
    cells.push(whole(stored));
  }
  return [...cells, whole(tally.links), (tally.requests / (LEAST_REQUESTS * count)).toFixed(3)];
}

class Phone {
  readonly #service: Service;
  readonly #visitor: Visitor;
  readonly #tally: Tally;
  readonly #random: Random;
  readonly #stored = new Map<string, string>();
  /** Number of the running process; what earlier ones do has no effect. */
  #life = 0;

  constructor(service: Service, visitor: Visitor, { tally, seed }: { tally: Tally; seed: number }) {
    this.#service = service;
    this.#visitor = visitor;
    this.#tally = tally;
    this.#random = new Random(SEED + seed);
  }

  async live(): Promise<void> {
    const [first, second] = EVENTS_BY_SESSION;
    await this.#use(this.#launch(null), first);
    const link = `http://localhost:${this.#service.port}/l/${shortCode(this.#random.between(0, LINKS - 1))}`;
    await this.#use(this.#launch(link), second);
    while (!(await this.#isSettled(this.#launch(null))));
  }

  /** One start of the app; it ends in the middle now and then. */
  async #use(client: Throughline, events: number): Promise<void> {
    await client.start();
    if (!this.#random.chance(KILLS)) await client.firstOpen();
    for (let event = 0; event < events; event++) client.track('level', { event });
    // As the app goes to the background.
    const flushed = client.flush();
    if (this.#random.chance(KILLS)) await new Promise((resolve) => setImmediate(resolve));
    else await flushed;
  }

  async #isSettled(client: Throughline): Promise<boolean> {
    await client.flush();
    const state = JSON.parse(this.#stored.get('throughline.state') ?? '{}') as { opens?: unknown[] };
    const { queuedEvents, firstOpen } = await client.explain();
    return firstOpen !== null && queuedEvents === 0 && state.opens?.length === 0;
  }

  #launch(initialUrl: string | null): Throughline {
    const life = ++this.#life;
    const client = createThroughline(
      {
        baseUrl: `http://127.0.0.1:${this.#service.port}`,
        key: SDK_KEY,
        hosts: ['localhost'],
        onLog: () => {},
      },
      {
        storage: {
          getItem: async (key) => this.#stored.get(key) ?? null,
          setItem: async (key, value) => this.#while(life).#stored.set(key, value),
          removeItem: async (key) => this.#while(life).#stored.delete(key),
        },
        device: async () => ({ platform: 'ANDROID', userAgent: this.#visitor.userAgent }),
        links: {
          initial: async () => initialUrl,
          subscribe: () => () => {},
          launchId: () => String(life),
        },
        fetch: (url, init) => this.#fetch(life, url, init),
      },
    );
    client.onDeepLink((_link: DeepLink) => {
      if (life === this.#life) this.#tally.links += 1;
    });
    return client;
  }

  /** @throws if the process was killed. */
  #while(life: number): this {
    if (life !== this.#life) throw new Error('the app was killed');
    return this;
  }

  async #fetch(
    life: number,
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string },
  ) {
    this.#while(life);
    if (this.#random.chance(LOST_REQUESTS)) throw new TypeError('fetch failed');
    this.#tally.requests += 1;
    const headers = { ...init.headers, 'x-forwarded-for': this.#visitor.address };
    const response = await fetch(url, { ...init, headers });
    const body = await response.text();
    this.#while(life);
    if (this.#random.chance(LOST_ANSWERS)) throw new TypeError('fetch failed');
    return { status: response.status, headers: response.headers, text: async () => body };
  }
}
