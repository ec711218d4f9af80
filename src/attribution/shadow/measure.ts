/** Measures in the background how right the fingerprint is, on installs that a certain method matched. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Counter } from 'prom-client';
import type { ClickRow } from '../../click-log/index.ts';
import { signalsOfDevice } from '../../devices/index.ts';
import type { Foundation } from '../../foundation.ts';
import { dayOf, isoTime, MINUTE_MS, monotonicMs } from '../../lib/clock.ts';
import type { AccuracyCounts, Finding } from '../../stats/index.ts';
import type { AttributionRequest } from '../attribution-request.ts';
import type { Decision } from '../decide.ts';
import { isFingerprintEnabled, readClicks, toEvidence } from '../evidence.ts';
import { SampleQueue } from './sample-queue.ts';
import { comparedInstall, shadowMatch } from './shadow-match.ts';

/** A recorded install. */
interface DecidedInstall {
  readonly request: AttributionRequest;
  readonly decision: Decision | null;
  readonly installedAtMs: number;
}

export interface Measure {
  /** Takes note of a recorded install; neither waits nor throws. */
  note(install: DecidedInstall): void;
  /** Resolves once what was noted is measured. */
  settled(): Promise<void>;
  /** Leaves out what waits. */
  stop(): Promise<void>;
}

interface Sample {
  readonly install: DecidedInstall;
  readonly own: ClickRow;
  readonly draw: number;
  readonly sinceMs: number;
}

const MAX_WAITING = { ofApp: 100, all: 1_000 };
/** Later clicks of others may have been claimed since, and a person erased. */
const MAX_WAIT_MS = MINUTE_MS;
/** One at a time, with pauses: at most 50 a second, and a tenth of the time where one takes long. */
const PACE = { minPauseMs: 20, pauseFactor: 9 };

export function createMeasure(
  deps: Pick<Foundation, 'db' | 'log' | 'metrics'> & { readonly accuracyCounts: AccuracyCounts },
  { minPauseMs, pauseFactor } = PACE,
  random: () => number = Math.random,
): Measure {
  const { accuracyCounts, log, metrics } = deps;
  const queue = new SampleQueue<Sample>(MAX_WAITING);
  const skipped = new Counter({
    name: 'throughline_accuracy_skipped_total',
    help: 'Installs of the sample that were not measured, since the queue was full or the database busy or away',
    registers: [metrics],
  });
  const fault = { since: Number.NEGATIVE_INFINITY };
  const stopping = new AbortController();
  let working: Promise<void> | null = null;

  const skip = (install: DecidedInstall) => {
    skipped.inc();
    accuracyCounts.count(placeOf(install), { verdict: 'skipped', percent: 0 });
  };

  async function measure(sample: Sample): Promise<void> {
    const { install, draw, sinceMs } = sample;
    if (stopping.signal.aborted || monotonicMs() - sinceMs > MAX_WAIT_MS) return skip(install);
    try {
      accuracyCounts.addToSample(placeOf(install), await findingOf(deps, sample), draw);
    } catch (error) {
      skip(install);
      if (monotonicMs() - fault.since < MINUTE_MS) return;
      fault.since = monotonicMs();
      log.warn({ err: error }, 'An install was left out of the measure of accuracy; others may follow');
    }
  }

  async function work(): Promise<void> {
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      const beganMs = monotonicMs();
      await measure(next);
      const pauseMs = Math.max(minPauseMs, pauseFactor * (monotonicMs() - beganMs));
      await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    }
    working = null;
  }

  return {
    note(install) {
      const { request, decision } = install;
      if (decision === null || request.debugBuild || request.app.measure_accuracy === 0) return;
      const compared = comparedInstall(decision.trace);
      if (compared !== null) return accuracyCounts.count(placeOf(install), compared);
      const [own, draw] = [certainClickOf(install), random()];
      if (own === null || !accuracyCounts.mayKeep(placeOf(install), draw)) return;
      if (!queue.add(request.app.id, { install, own, draw, sinceMs: monotonicMs() })) return skip(install);
      working ??= work();
    },
    async settled() {
      await working;
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** The click of a certain match, if the fingerprint would have had all that it needs. */
function certainClickOf({ request, decision }: DecidedInstall): ClickRow | null {
  const { device, ipHash, deterministicOnly } = request;
  const isCertain = decision?.method === 'INSTALL_REFERRER' || decision?.method === 'CLICK_ID';
  if (!isCertain || !isFingerprintEnabled(request) || deterministicOnly || ipHash === null) return null;
  const { model, osVersion, screen, timezone, languages } = signalsOfDevice(device);
  const hasSignals = [model, osVersion, screen, timezone].some((signal) => signal !== null);
  return hasSignals || languages.length > 0 ? decision.click : null;
}

function placeOf({ request: { app, device }, installedAtMs }: DecidedInstall) {
  return { appId: app.id, day: dayOf(isoTime(installedAtMs)), platform: device.platform };
}

async function findingOf(
  { db }: Pick<Foundation, 'db'>,
  { install: { request, installedAtMs }, own }: Sample,
): Promise<Finding> {
  const clicksFromAddress = await readClicks(db, request, installedAtMs);
  return shadowMatch({ ...toEvidence(request, installedAtMs), clicksFromAddress }, own);
}
