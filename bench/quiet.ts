/** Other work on the machine falls on some rounds and not on others, so a round waits until there is none. */
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const SAMPLE_MS = 500;
/** Of all cores together. */
const QUIET_SHARE = 0.04;
const WAIT_AT_MOST_MS = 15_000;

/** Resolves once the machine is quiet; false when it did not become so. */
export async function machineIsQuiet(): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < WAIT_AT_MOST_MS; waitedMs += SAMPLE_MS)
    if ((await busyShare()) <= QUIET_SHARE) return true;
  return false;
}

async function busyShare(): Promise<number> {
  const before = cpuTimes();
  await wait(SAMPLE_MS);
  const after = cpuTimes();
  return (after.busy - before.busy) / (after.total - before.total);
}

function cpuTimes(): { busy: number; total: number } {
  const sums = { busy: 0, total: 0 };
  for (const { times } of cpus()) {
    const busy = times.user + times.nice + times.sys + times.irq;
    sums.busy += busy;
    sums.total += busy + times.idle;
  }
  return sums;
}
