import { openCtx } from '../../app.ts';
import { adoptJournals } from '../../clicks/index.ts';
import type { Config } from '../../platform/config.ts';
import { type DataDir, takeDataDir, workerDir } from '../../platform/data-dir/index.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { Workers } from '../../platform/workers/index.ts';
import {
  announce,
  makeFirstKeys,
  warnOfFewConnections,
  warnOfOtherRegion,
  warnOfWeakSecrets,
} from './beginning.ts';
import { checkPort } from './port.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/**
 * Serves in several workers that share the port. This process owns the data directory, makes the first keys and keeps
 * the workers running; it answers nobody itself.
 */
export async function supervise(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const dataDir = takeDataDir(config);
  const { port, workers: count } = config;
  const env = { PORT: String(port), ADMIN_TOKEN: dataDir.adminToken };
  const workers = new Workers({ count, env, log });
  stopOnSignal(log, {
    async stop() {
      const endedWell = await workers.stop();
      dataDir.release();
      if (!endedWell) throw new Error('a worker did not end well');
    },
    endNow: () => workers.kill(),
  });
  try {
    await begin(workers, { config, dataDir, log });
  } catch (error) {
    workers.kill();
    dataDir.release();
    throw error;
  }
  announce(config, dataDir, log);
}

async function begin(
  workers: Workers,
  { config, dataDir, log }: { config: Config; dataDir: DataDir; log: Log },
): Promise<void> {
  await checkPort(config);
  warnOfWeakSecrets(config, log);
  const ctx = await openCtx(config, { log, onDeath: () => undefined }, dataDir);
  try {
    await warnOfFewConnections(ctx);
    await warnOfOtherRegion(ctx);
    const numbers = Array.from({ length: config.workers }, (_, index) => index + 1);
    await adoptJournals(
      dataDir.path,
      numbers.map((number) => workerDir(dataDir.path, number)),
    );
    await workers.start();
    // Not before: who connects to a port that is held is cut off.
    await makeFirstKeys(ctx, dataDir);
  } finally {
    await ctx.store.close();
  }
  await workers.listen();
}
