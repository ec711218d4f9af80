/**
 * The look-up of a path at an app's own host, with ten million paths of 1,000 hosts and with 10,000 of 10 hosts, in turns:
 * the host's app, then its link, by the code that answers taps.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { storeApp } from '../../src/apps/create-app.ts';
import { createHostDirectory } from '../../src/apps/index.ts';
import { readConfig } from '../../src/config.ts';
import { openMigrated, type Store } from '../../src/db/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createIds } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { deriveSecrets } from '../../src/lib/secrets.ts';
import { createLinkDirectory } from '../../src/links/index.ts';
import { machine, median, table } from '../lib/markdown.ts';
import { startPostgres } from '../lib/postgres.ts';
import { temporaryDirectory } from '../lib/temporary.ts';
import { type Filled, fillPaths, ownerOf, pathOf } from './fill.ts';

interface Size {
  readonly paths: number;
  readonly hosts: number;
}

const FEW: Size = { paths: 10_000, hosts: 10 };
const MANY: Size = { paths: 10_000_000, hosts: 1_000 };
const QUICK: Size = { paths: 100_000, hosts: 1_000 };
const ROUNDS = 9;
/** In this order: what was looked up is cached. */
const KINDS = ['uncached', 'unknown', 'cached'] as const;
type Kind = (typeof KINDS)[number];
const LOOKUPS: Readonly<Record<Kind, number>> = { cached: 200_000, uncached: 1_000, unknown: 1_000 };
const WARM_PER_HOST = 100;

interface Subject {
  readonly filled: Filled;
  readonly store: Store;
  find(index: number, path: string): Promise<boolean>;
}

export async function benchPaths({ isQuick }: { isQuick: boolean }): Promise<string> {
  const sizes = { few: FEW, many: isQuick ? QUICK : MANY };
  await using postgres = await startPostgres();
  const lines: string[][] = [];
  for (const engine of ['SQLite', 'PostgreSQL'] as const) {
    const open = async (name: 'few' | 'many') =>
      await openSubject(
        sizes[name],
        engine === 'SQLite' ? null : await postgres.createDatabase(`paths_${name}`),
      );
    const [few, many] = [await open('few'), await open('many')];
    for (const kind of KINDS) {
      const times: { few: number[]; many: number[] } = { few: [], many: [] };
      for (let round = 0; round < ROUNDS; round++) {
        times.few.push(await microsOf(few, kind, round));
        times.many.push(await microsOf(many, kind, round));
      }
      const ratios = times.many.map((time, round) => time / (times.few[round] ?? Number.NaN));
      lines.push([engine, kind, micros(times.few), micros(times.many), median(ratios).toFixed(2)]);
    }
    await few.store.close();
    await many.store.close();
  }
  const head = ['Engine', 'Path', `${sizes.few.paths} paths`, `${sizes.many.paths} paths`, 'Ratio'];
  return [machine(postgres.version), '', table(head, lines), ''].join('\n');
}

const micros = (times: readonly number[]) => `${median(times).toFixed(1)} µs`;

async function openSubject(size: Size, databaseUrl: string | null): Promise<Subject> {
  const dataDir = temporaryDirectory('paths');
  const shared = { DATABASE_URL: databaseUrl ?? '', SECRET_KEY: randomBytes(32).toString('base64') };
  const env = { DATA_DIR: dataDir, ...(databaseUrl !== null && shared) };
  const config = readConfig(env);
  const log = createLog('silent');
  const onDeath = (cause: unknown) => {
    throw cause;
  };
  const ids = createIds(systemClock);
  const secrets = deriveSecrets('bench');
  const opening = await openMigrated(config, migrations, { log, onDeath });
  const appIds = await opening.store.db.transaction().execute(async (tx) => {
    const made: string[] = [];
    for (let host = 0; host < size.hosts; host++) {
      const input = { name: 'Bench', shortLinkHost: `host-${host}.example.com` };
      const app = await storeApp(
        tx,
        { clock: systemClock, ids, config, secrets },
        { input, by: 'first_start' },
      );
      made.push(app.id);
    }
    return made;
  });
  await opening.store.close();
  const filled: Filled = {
    database: databaseUrl ?? join(dataDir, 'throughline.db'),
    appIds,
    paths: size.paths,
  };
  await fillPaths(filled);
  const { store } = await openMigrated(config, migrations, { log, onDeath });
  const deps = { db: store.db, clock: systemClock, config, log };
  const [hosts, links] = [await createHostDirectory(deps), createLinkDirectory(deps)];
  const hostOf = new Map(appIds.map((id, host) => [id, `host-${host}.example.com`]));
  return {
    filled,
    store,
    async find(index, path) {
      const appId = await hosts.ownerOf(hostOf.get(ownerOf(filled, index)) ?? '');
      return appId !== undefined && (await links.resolvePath(appId, path)) !== null;
    },
  };
}

/** The mean of a round, in sequence. */
async function microsOf(subject: Subject, kind: Kind, round: number): Promise<number> {
  const { paths } = subject.filled;
  const count = LOOKUPS[kind];
  // A prime step spreads the places over the table, and never takes one twice.
  const placeOf = (turn: number) => ((round * count + turn) * 7_919) % paths;
  // The same traffic with both: the paths of ten hosts.
  const { appIds } = subject.filled;
  const warm = (turn: number) =>
    (turn % FEW.hosts) * (paths / appIds.length) + (Math.floor(turn / FEW.hosts) % WARM_PER_HOST);
  if (kind === 'cached')
    for (let turn = 0; turn < FEW.hosts * WARM_PER_HOST; turn++)
      await subject.find(warm(turn), pathOf(warm(turn)));
  const startedNs = process.hrtime.bigint();
  for (let turn = 0; turn < count; turn++) {
    const index = kind === 'cached' ? warm(turn) : placeOf(turn);
    const isFound = await subject.find(index, kind === 'unknown' ? `none-${round}-${turn}` : pathOf(index));
    if (isFound !== (kind !== 'unknown')) throw new Error(`${kind} path ${index} was not looked up`);
  }
  return Number(process.hrtime.bigint() - startedNs) / count / 1_000;
}
