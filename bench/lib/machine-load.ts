/** Other work on the machine distorts rounds unevenly, so each round first waits for an idle machine. */
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const SAMPLE_MS = 500;
/** Of all cores together. */
const MAX_BUSY_SHARE = 0.04;
const MAX_WAIT_MS = 15_000;

/** Waits until the machine is idle. @returns false if it is still busy after 15 s. */
export async function waitForIdleMachine(): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += SAMPLE_MS)
    if ((await busyShare()) <= MAX_BUSY_SHARE) return true;
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
