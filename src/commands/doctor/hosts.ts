/** The hosts of short links, looked at and judged as the service does it once a day. */
import { type AppRow, createHostDirectory, listApps } from '../../apps/index.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/index.ts';
import {
  advance,
  checksOf,
  createLooker,
  findHost,
  type KnownCheck,
  type Looker,
  type Place,
  placeOf,
  wasReached,
} from '../../hosts/index.ts';
import { systemClock as clock } from '../../lib/clock.ts';
import { findRootSecrets, findServerPid } from '../../lib/data-dir/index.ts';
import { createLog } from '../../lib/log.ts';
import { deriveSecrets } from '../../lib/secrets.ts';
import { type Finding, fault, ok, unknown, warning } from './check.ts';

const MAX_HOSTS = 20;

interface Deps {
  readonly db: Db;
  readonly config: Config;
  /** Of certificates, in place of Node's, in tests. */
  readonly authorities?: readonly string[] | undefined;
}

interface Watched {
  readonly app: AppRow;
  readonly place: Place;
}

/** Of all apps, at most 20. Stores nothing, so block lists, of which copies are kept, are left to the service. */
export async function checkHosts(deps: Deps): Promise<readonly Finding[]> {
  const { db, config } = deps;
  if (!config.watchHosts) return [unknown('host.dns', 'WATCH_HOSTS=0: hosts of links are not looked at')];
  const isSigned = createVerifier(config);
  if (isSigned === null)
    return [unknown('host.dns', 'Hosts of links are not looked at without the secret key')];
  const apps = (await listApps(db)).map((app) => ({ app, place: placeOf(config, app) }));
  const hosts = [...Map.groupBy(apps, ({ place }) => place.host).values()];
  const log = createLog('silent');
  const looker = createLooker({
    ...{ ...deps, clock, log, config: { ...config, blockLists: [] }, secrets: { isSigned } },
    hostDirectory: await createHostDirectory({ db, clock, config, log }),
    listHosts: async () => [],
  });
  try {
    const isRunning = findServerPid(config) !== null;
    const looks = hosts.slice(0, MAX_HOSTS).map((host) => checkHost({ db, looker, isRunning }, host));
    const left = hosts.length - MAX_HOSTS;
    return [
      ...(await Promise.all(looks)).flat(),
      ...(left > 0 ? [unknown('host.dns', `${left} further hosts were not looked at`)] : []),
    ];
  } finally {
    await looker.close();
  }
}

/** By any of the secrets, as the running service may use each. Null without one. */
function createVerifier(config: Config) {
  const given = findRootSecrets(config);
  if (given === null) return null;
  const all = [given.rootSecret, given.nextSecret, given.previousSecret]
    .filter((secret) => secret != null)
    .map(deriveSecrets);
  return (text: string, signature: string) => all.some((secrets) => secrets.isSigned(text, signature));
}

interface LookDeps {
  readonly db: Db;
  readonly looker: Looker;
  readonly isRunning: boolean;
}

/** What is found for several apps alike is said once. */
async function checkHost(deps: LookDeps, apps: readonly Watched[]): Promise<readonly Finding[]> {
  const found = await Promise.all(apps.map((watched) => checkApp(deps, watched)));
  const byText = new Map(found.flat().map((finding) => [`${finding.check} ${finding.text}`, finding]));
  return [...byText.values()];
}

async function checkApp(
  { db, looker, isRunning }: LookDeps,
  { app, place }: Watched,
): Promise<readonly Finding[]> {
  const { host, baseUrl } = place;
  if (place.watching !== 'on')
    return [
      warning(
        'host.dns',
        `Short links begin with ${baseUrl}, by which phones cannot open an app`,
        'Set PUBLIC_URL, or SHORT_LINK_URL, to an https address with a public name.',
      ),
    ];
  const row = await findHost(db, app.id, host);
  const known = row === undefined ? [] : checksOf(row);
  const { outcomes } = await looker.look({ app, place, wasHere: wasReached(known) });
  return [...outcomes].map(([check, outcome]) => {
    const before = known.find((each) => each.check === check);
    const { next } = advance(before, { check, outcome, nowMs: clock.nowMs() });
    return findingOf(host, next, isRunning);
  });
}

function findingOf(host: string, { check, state, message, mend }: KnownCheck, isRunning: boolean): Finding {
  const [name, text] = [`host.${check}`, `${host}: ${message}`];
  if (state === 'ok') return ok(name, text);
  if (mend === null) return unknown(name, text);
  // Nothing arrives at a service that is stopped; other states with advice have yet to last.
  const isFault = state === 'problem' && (check !== 'dns' || isRunning);
  return (isFault ? fault : warning)(name, text, mend);
}
