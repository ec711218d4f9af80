import { openService, type Service } from '../../app.ts';
import type { Config } from '../../platform/config.ts';
import { createLog, type Log } from '../../platform/log.ts';
import { announce, listen, makeFirstKeys, warnOfOtherRegion, warnOfWeakSecrets } from './beginning.ts';
import { checkPort } from './port.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Serves in this process, which does everything by itself. */
export async function serveAlone(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  await checkPort(config);
  const service = await openService(config, {
    log,
    onDeath(cause) {
      log.fatal({ err: cause }, 'nothing can be stored any more: the process ends');
      process.exit(1);
    },
  });
  const begun = begin(service, config, log);
  stopOnSignal(log, {
    async stop() {
      // What a start is at would be taken from under it.
      await begun.catch(() => undefined);
      await service.close();
    },
    endNow: () => undefined,
  });
  await begun;
}

async function begin(service: Service, config: Config, log: Log): Promise<void> {
  warnOfWeakSecrets(config, log);
  await warnOfOtherRegion(service.ctx);
  await makeFirstKeys(service.ctx, service.dataDir);
  await listen(service.api, config);
  announce(config, service.dataDir, log);
}
