import { openService, type Service } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { conditionOf, isUnavailable, toStartError } from '../db/index.ts';
import { loadAndroidNames } from '../devices/index.ts';
import { createLog, type Log } from '../lib/log.ts';
import { startTracing } from '../tracing/index.ts';
import { type HandedOver, takeHandedOver, withAddresses, withoutEffect } from './serve/handed-over.ts';
import { listenForMonitoring } from './serve/monitoring.ts';
import { checkPort, pickFreePort } from './serve/port.ts';
import {
  announce,
  listen,
  makeFirstKeys,
  warnOfOtherRegion,
  warnOfUnknownSettings,
  warnOfWeakSecrets,
} from './serve/startup.ts';
import { stopOnSignal } from './serve/stop-on-signal.ts';

/**
 * Runs the service until SIGTERM or SIGINT.
 * @throws StartError when a setting, the port, the data directory or the database cannot be used.
 */
export async function serve(): Promise<void> {
  const sockets = takeHandedOver(process.env);
  const config = await readConfigWithPort(sockets);
  const log = createLog(config.logLevel, { conditionOf });
  // First: a misspelt setting may be why the start fails.
  warnOfUnknownSettings(process.env, log);
  warnOfSockets(sockets, config, log);
  if (sockets.main === null) await checkPort(config);
  const tracing = await startTracing(process.env, log, config.databaseUrl === null ? 'sqlite' : 'postgresql');
  const service = await openService(config, {
    log,
    onDeath(cause) {
      log.fatal({ err: cause }, 'The database cannot store anything any more; exiting');
      process.exit(1);
    },
  });
  tracing?.countIn(service.metrics);
  const started = start(service, sockets, log).catch((error: unknown) => {
    throw isUnavailable(error) ? toStartError(config, error) : error;
  });
  stopOnSignal(log, async (signal) => {
    // A start that is interrupted would use a closed database.
    const stopMonitoring = await started.catch(() => null);
    // Who presses Ctrl-C waits, and no proxy is to notice.
    if (signal === 'SIGTERM') await service.drain();
    await service.close();
    await stopMonitoring?.();
    await tracing?.stop();
  });
  await started;
}

/** With `PORT=0` the port is picked first: the default addresses contain it. */
async function readConfigWithPort(sockets: HandedOver): Promise<Config> {
  const env = withAddresses(process.env, sockets);
  const config = readConfig(env);
  if (config.port !== 0) return config;
  return readConfig({ ...env, PORT: String(await pickFreePort(config)) });
}

function warnOfSockets(sockets: HandedOver, config: Config, log: Log): void {
  if (sockets.warning !== null) log.warn(sockets.warning);
  for (const warning of withoutEffect(process.env, config, sockets)) log.warn(warning);
}

/** @returns stops the monitoring server; null where there is none. */
async function start(service: Service, sockets: HandedOver, log: Log): Promise<(() => Promise<void>) | null> {
  const { api, config, dataDir } = service;
  warnOfWeakSecrets(config, log);
  await warnOfOtherRegion(service);
  const stopMonitoring = await listenForMonitoring(api, config, sockets.metrics);
  await makeFirstKeys(service, dataDir, sockets.main === null);
  // At the first list of records it would keep taps waiting.
  loadAndroidNames();
  await listen(api, config, sockets.main);
  announce(config, dataDir, log);
  return stopMonitoring;
}
