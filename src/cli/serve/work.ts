import { openService, type Service } from '../../app.ts';
import { type Config, readConfig } from '../../platform/config.ts';
import { workerDir } from '../../platform/data-dir/index.ts';
import { StartError } from '../../platform/errors.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { connectSupervisor, type Supervisor } from '../../platform/workers/index.ts';
import { listen } from './beginning.ts';
import { canSharePort } from './port.ts';
import { onStopSignal } from './stop-on-signal.ts';

/** Serves as one of several workers, until the supervisor says to stop, or is gone. */
export async function work(number: number): Promise<void> {
  const supervisor = connectSupervisor();
  // A terminal, or a service manager, sends them to all processes: when to stop is the supervisor's to say.
  onStopSignal(() => undefined);
  const config = readConfig(process.env);
  const log = createLog(config.logLevel).child({ worker: number });
  try {
    const own = { ...config, dataDir: workerDir(config.dataDir, number) };
    await serveUnder(supervisor, own, log);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    await supervisor.cannotStart(error.message);
    process.exit(1);
  }
}

async function serveUnder(supervisor: Supervisor, config: Config, log: Log): Promise<void> {
  let service: Service | null = null;
  supervisor.onStop(() => {
    // Nobody was answered yet, and clicks of before are on disk.
    if (service === null) process.exit(0);
    void stop(service, log);
  });
  const { siblings } = supervisor;
  service = await openService(config, { log, siblings, onDeath: (cause) => log.fatal({ err: cause }) });
  await supervisor.mayListen();
  // Elsewhere `node:cluster` has the supervisor take the connections and pass them on.
  await listen(service.api, config, { reusePort: await canSharePort() });
  supervisor.listening();
}

async function stop(service: Service, log: Log): Promise<void> {
  try {
    await service.close();
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, 'stopping failed');
    process.exit(1);
  }
}
