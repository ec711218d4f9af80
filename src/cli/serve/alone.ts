import { openService } from '../../app.ts';
import { bootstrap } from '../../apps/index.ts';
import type { Config } from '../../platform/config.ts';
import { createLog } from '../../platform/log.ts';
import { announce, listen, showKeys, warnOfOtherRegion, warnOfWeakSecrets } from './beginning.ts';
import { holdPort } from './port.ts';
import { stopOnSignal } from './stop-on-signal.ts';

/** Serves in this process, which does everything by itself. */
export async function serveAlone(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const service = await openService(config, {
    log,
    onDeath(cause) {
      log.fatal({ err: cause }, 'nothing can be stored any more: the process ends');
      process.exit(1);
    },
  });
  stopOnSignal(log, { stop: () => service.close(), endNow: () => undefined });
  warnOfWeakSecrets(config, log);
  await warnOfOtherRegion(service.ctx);
  // The first keys can be shown only once, so nothing may be left that can fail after they are made.
  const held = await holdPort(config);
  const first = await bootstrap(service.ctx);
  if (first !== null) showKeys(config, service.dataDir, first.keys);
  await held.letGo();
  await listen(service.api, config);
  announce(config, service.dataDir, log);
}
