import { join } from 'node:path';
import { openService, type Service } from '../app.ts';
import { bootstrap, type FirstKeys } from '../apps/index.ts';
import { type Config, readConfig } from '../platform/config.ts';
import { writePrivate } from '../platform/data-dir.ts';
import { createLog } from '../platform/log.ts';
import { holdPort, portRefused } from './port.ts';
import { welcome } from './welcome.ts';

/** Runs the service until it is told to stop. */
export async function serve(): Promise<void> {
  const config = await readConfigWithPort();
  const log = createLog(config.logLevel);
  const service = await openService(config, {
    log,
    onDeath(cause) {
      log.fatal({ err: cause }, 'nothing can be stored any more: the process ends');
      process.exit(1);
    },
  });
  stopOnSignal(service);
  warnOfWeakSecrets(service);
  // The first keys can be shown only once, so nothing may be left that can fail after they are made.
  const held = await holdPort(config);
  const first = await bootstrap(service.ctx);
  if (first !== null) showKeys(service, first.keys);
  await held.letGo();
  const url = await listen(service);
  announce(service, url);
  log.info({ url, region: config.region, database: service.ctx.store.engine }, 'Throughline is listening');
}

/** With `PORT=0` a free port is picked first: the default addresses are made of it. */
async function readConfigWithPort(): Promise<Config> {
  const config = readConfig(process.env);
  if (config.port !== 0) return config;
  const held = await holdPort(config);
  await held.letGo();
  return readConfig({ ...process.env, PORT: String(held.port) });
}

/** Without it the command line does not find this server, which is no reason not to serve. */
function announce({ dataDir, ctx }: Service, url: string): void {
  try {
    dataDir.announce(url);
  } catch (error) {
    ctx.log.warn({ err: error }, 'the command line will not find this server');
  }
}

const STRONG_CHARACTERS = 16;

function warnOfWeakSecrets({ ctx: { config, log } }: Service): void {
  for (const [name, secret] of Object.entries({
    SECRET_KEY: config.secretKey,
    ADMIN_TOKEN: config.adminToken,
  }))
    if (secret !== null && secret.length < STRONG_CHARACTERS)
      log.warn(`${name} is short enough to be guessed: use 32 random characters (openssl rand -base64 32)`);
}

async function listen({ api, ctx: { config } }: Service): Promise<string> {
  try {
    await api.listen({ port: config.port, host: config.host });
  } catch (error) {
    throw portRefused(config, error);
  }
  // Not `localhost`: that may be the other family's, where any local user can listen and be sent the admin token.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
}

/** Keys on a terminal are for whoever sits there; anywhere else they would end up in a log. */
function showKeys({ dataDir, ctx }: Service, keys: FirstKeys): void {
  const text = welcome(ctx.config.publicUrl, ctx.config.shortLinkUrl, keys, dataDir.adminToken);
  if (process.stdout.isTTY) {
    process.stdout.write(`${text}\n`);
    return;
  }
  const path = join(dataDir.path, 'first-keys.txt');
  writePrivate(path, `${text}\n`);
  process.stdout.write(`The keys of the first app are in ${path}\n`);
}

function stopOnSignal(service: Service): void {
  let stopping = false;
  const stop = (signal: string) => {
    // Asked twice, it does not wait for anybody.
    if (stopping) process.exit(1);
    stopping = true;
    service.ctx.log.info({ signal }, 'stopping');
    service.close().then(
      () => {
        service.ctx.log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        service.ctx.log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
