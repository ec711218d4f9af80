import { once } from 'node:events';
import type { Socket } from 'node:net';
import { makeSetupAddress } from '../../accounts/index.ts';
import { bootstrap, type FirstKeys } from '../../apps/index.ts';
import { hasKeysOfRegion } from '../../auth/index.ts';
import { type Config, REGIONS } from '../../config.ts';
import type { Foundation } from '../../foundation.ts';
import type { DataDir } from '../../lib/data-dir/index.ts';
import { writePrivate } from '../../lib/files.ts';
import type { Log } from '../../lib/log.ts';
import type { Api } from '../../server/server.ts';
import { unusedKeysFile } from '../first-keys.ts';
import { namesInFiles } from '../settings-files.ts';
import { BACKLOG } from './handed-over.ts';
import { holdPort, portRefused } from './port.ts';
import { describeUnknown } from './unknown-settings.ts';
import { welcome } from './welcome.ts';

const STRONG_CHARACTERS = 16;

/** Names of secrets that could be guessed. Generated ones are long; only configured ones can be weak. */
export function weakSecrets({ secretKey, adminToken, metricsToken }: Config): string[] {
  const secrets = { SECRET_KEY: secretKey, ADMIN_TOKEN: adminToken, METRICS_TOKEN: metricsToken };
  return Object.entries(secrets).flatMap(([name, secret]) =>
    secret !== null && secret.length < STRONG_CHARACTERS ? [name] : [],
  );
}

export function warnOfWeakSecrets(config: Config, log: Log): void {
  for (const name of weakSecrets(config))
    log.warn(`${name} is too short: use 32 random characters (openssl rand -base64 32)`);
}

export function warnOfUnknownSettings(env: NodeJS.ProcessEnv, log: Log): void {
  for (const warning of describeUnknown(env, namesInFiles())) log.warn(warning);
}

/** Data of one region must not be stored in the database of another. */
export async function warnOfOtherRegion({
  db,
  config: { region },
  log,
}: Pick<Foundation, 'db' | 'config' | 'log'>): Promise<void> {
  for (const other of REGIONS.filter((each) => each !== region))
    if (await hasKeysOfRegion(db, other))
      log.warn(
        { region, other },
        'The database has API keys of another region, which this service refuses: set REGION to it, or DATABASE_URL to the database of this region',
      );
}

/**
 * Creates the first app and shows its keys, once. The port is held meanwhile, so that the start cannot fail after the keys
 * were created; a shared port is not, since other processes serve it, nor is one that was handed over.
 * @throws StartError when the port cannot be used.
 */
export async function makeFirstKeys(
  { db, clock, ids, config, secrets }: Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'>,
  dataDir: DataDir,
  opensPort: boolean,
): Promise<void> {
  const held = config.reusePort || !opensPort ? null : await holdPort(config);
  const first = await bootstrap({ db, clock, ids, config, secrets });
  if (first !== null) {
    const address = await makeSetupAddress({ db, clock, ids, config }, { by: 'first_start', email: null });
    showKeys(config, dataDir, first.keys, address);
  }
  await held?.release();
}

/** Prints keys to a terminal only; standard output that is redirected would keep them in a log. */
function showKeys(
  { publicUrl, shortLinkUrl }: Config,
  { path: directory, adminToken }: DataDir,
  keys: FirstKeys,
  setupAddress: string,
): void {
  const text = welcome({ publicUrl, shortLinkUrl, keys, adminToken, setupAddress });
  if (process.stdout.isTTY) {
    process.stdout.write(`${text}\n`);
    return;
  }
  const path = unusedKeysFile(directory);
  writePrivate(path, `${text}\n`);
  process.stdout.write(`The keys of the first app are in ${path}. “throughline setup” shows them once\n`);
}

/**
 * Accepts connections, of the socket that was handed over if there is one.
 * @throws StartError when the port cannot be used.
 */
export async function listen(
  api: Api,
  { port, host, reusePort }: Config,
  handedOver: Socket | null,
): Promise<void> {
  try {
    // Fastify’s own `listen` has no backlog for an open socket.
    if (handedOver !== null) await once(api.server.listen(handedOver, BACKLOG), 'listening');
    else await api.listen({ port, host, ...(reusePort && { reusePort }) });
  } catch (error) {
    throw portRefused('PORT', { port, host }, error);
  }
}

/** Records the address for the command line beside the server and logs it. A failure to record it does not stop the start. */
export function announce(config: Config, dataDir: DataDir, log: Log): void {
  const url = urlOf(config);
  try {
    dataDir.announce(url);
  } catch (error) {
    log.warn({ err: error }, 'Failed to record the address; the command line will not find this server');
  }
  const database = config.databaseUrl === null ? 'sqlite' : 'postgres';
  log.info({ url, region: config.region, database }, 'Throughline is listening');
}

function urlOf({ host, port }: Config): string {
  // Not `localhost`: it may resolve to the other address family, where another local user may listen and receive the admin token.
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
