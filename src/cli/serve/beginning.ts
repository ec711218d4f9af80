/** What every start does, of one process or of many. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, type FirstKeys, hasKeysOfRegion } from '../../apps/index.ts';
import { type Config, REGIONS } from '../../platform/config.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { DataDir } from '../../platform/data-dir/index.ts';
import type { Api } from '../../platform/http/server.ts';
import type { Log } from '../../platform/log.ts';
import { writePrivate } from '../../platform/write-private.ts';
import { holdPort, portRefused } from './port.ts';
import { welcome } from './welcome.ts';

const STRONG_CHARACTERS = 16;

/** Only the operator's own can be weak: those that are made here are long. */
export function warnOfWeakSecrets({ secretKey, adminToken }: Config, log: Log): void {
  for (const [name, secret] of Object.entries({ SECRET_KEY: secretKey, ADMIN_TOKEN: adminToken }))
    if (secret !== null && secret.length < STRONG_CHARACTERS)
      log.warn(`${name} is short enough to be guessed: use 32 random characters (openssl rand -base64 32)`);
}

/** Too few show only under load: calls are answered with 503 then. */
export async function warnOfFewConnections({ store, config: { workers }, log }: Ctx): Promise<void> {
  const connections = await store.connectionsOf(workers);
  if (connections === null || connections.needed <= connections.allowed) return;
  log.warn(
    { workers, ...connections },
    'the workers may need more connections than PostgreSQL allows: raise its max_connections, or lower WORKERS',
  );
}

/** What belongs to one region must not come into another one's database. */
export async function warnOfOtherRegion({ db, config: { region }, log }: Ctx): Promise<void> {
  for (const other of REGIONS.filter((each) => each !== region))
    if (await hasKeysOfRegion(db, other))
      log.warn(
        { region, other },
        'the database holds API keys of another region, which are refused here: set REGION to that one, or name the database of this region',
      );
}

/**
 * Makes the first app and shows its keys, where there is none. They can be shown only once, so nothing may be left that can
 * fail after they are made: the port is held meanwhile.
 * @throws StartError when the port cannot be had.
 */
export async function makeFirstKeys(ctx: Ctx, dataDir: DataDir): Promise<void> {
  const held = await holdPort(ctx.config);
  const first = await bootstrap(ctx);
  if (first !== null) showKeys(ctx.config, dataDir, first.keys);
  await held.letGo();
}

/** Keys on a terminal are for whoever sits there; anywhere else they would end up in a log. */
function showKeys(
  { publicUrl, shortLinkUrl }: Config,
  { path: directory, adminToken }: DataDir,
  keys: FirstKeys,
): void {
  const text = welcome(publicUrl, shortLinkUrl, keys, adminToken);
  if (process.stdout.isTTY) {
    process.stdout.write(`${text}\n`);
    return;
  }
  const path = unusedPath(directory);
  writePrivate(path, `${text}\n`);
  process.stdout.write(`The keys of the first app are in ${path}\n`);
}

/** The keys of a database that was used before may be nowhere else. */
function unusedPath(directory: string): string {
  let path = join(directory, 'first-keys.txt');
  for (let count = 2; existsSync(path); count++) path = join(directory, `first-keys-${count}.txt`);
  return path;
}

/**
 * @param options `reusePort`: other processes listen on the port, too.
 * @throws StartError when the port cannot be had.
 */
export async function listen(api: Api, { port, host }: Config, { reusePort = false } = {}): Promise<void> {
  const options = { port, host, ...(reusePort && { reusePort }) };
  try {
    await api.listen(options);
  } catch (error) {
    throw portRefused({ port, host }, error);
  }
}

/** Says where it is served. Without the file the command line does not find this server, which is no reason not to serve. */
export function announce(config: Config, dataDir: DataDir, log: Log): void {
  const url = urlOf(config);
  try {
    dataDir.announce(url);
  } catch (error) {
    log.warn({ err: error }, 'the command line will not find this server');
  }
  const database = config.databaseUrl === null ? 'sqlite' : 'postgres';
  log.info({ url, region: config.region, database }, 'Throughline is listening');
}

function urlOf({ host, port }: Config): string {
  // Not `localhost`: that may be the other family's, where any local user can listen and be sent the admin token.
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
