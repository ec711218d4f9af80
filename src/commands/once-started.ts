import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { monotonicMs } from '../lib/clock.ts';

const WAIT_MS = 20_000;
const PAUSE_MS = 200;
const TRY_AGAIN =
  'The service was not ready within 20 seconds: run this again once it is, or see its log for why it is not.';

/**
 * Repeats `call` until the start of the service is over: who pastes the steps of an installation runs the next one at
 * once. Not without `DATA_DIR`, where no service is about to start.
 */
export async function onceStarted<T>(
  { dataDir }: Pick<Config, 'dataDir'>,
  call: () => Promise<T>,
): Promise<T> {
  const untilMs = monotonicMs() + WAIT_MS;
  for (let waits = 0; ; waits += 1)
    try {
      return await call();
    } catch (error) {
      const mayStart = error instanceof StartError && error.mayPass && existsSync(resolve(dataDir));
      if (!mayStart) throw error;
      if (monotonicMs() > untilMs) throw new StartError(`${error.message} ${TRY_AGAIN}`, { cause: error });
      if (waits === 0) process.stderr.write('Waiting for the service.\n');
      await sleep(PAUSE_MS);
    }
}
