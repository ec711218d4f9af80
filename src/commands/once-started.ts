import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { monotonicMs } from '../lib/clock.ts';

const WAIT_MS = 20_000;
const PAUSE_MS = 200;

/**
 * Repeats `call` until the first start of the service is over: who pastes the steps of an installation runs the next one at
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
      if (!mayStart || monotonicMs() > untilMs) throw error;
      if (waits === 0) process.stderr.write('Waiting for the service to start.\n');
      await sleep(PAUSE_MS);
    }
}
