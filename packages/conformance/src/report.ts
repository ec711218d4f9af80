/** The result of a run as text for people. */

import type { LoggedRequest } from './network.ts';
import { show } from './pattern.ts';
import type { Outcome } from './run-scenario.ts';

/** One line for each scenario, and what happened in those that failed. */
export function report(outcomes: readonly Outcome[]): string {
  const width = Math.max(...outcomes.map(({ id }) => id.length));
  const lines = outcomes.map((outcome) => line(outcome, width));
  const failed = outcomes.filter(({ passed }) => !passed);
  const skipped = outcomes.filter((outcome) => outcome.skipped).length;
  const passed = outcomes.length - failed.length - skipped;
  const counts = `${passed} passed, ${failed.length} failed${skipped === 0 ? '' : `, ${skipped} skipped (they need an app of their own, or what the client cannot do)`}`;
  return [...lines, ...failed.map(details), '', counts, ''].join('\n');
}

export function details({ id, title, faults, log, complaint }: Outcome): string {
  return [
    '',
    `${id}: ${title}`,
    ...faults.map((fault) => `  ${fault}`),
    `  Requests: ${log.length === 0 ? 'none' : ''}`,
    ...log.slice(0, MAX_REQUESTS).map(request),
    ...(log.length > MAX_REQUESTS ? [`    … and ${log.length - MAX_REQUESTS} more`] : []),
    ...(complaint === ''
      ? []
      : [
          '  The client wrote:',
          ...complaint
            .trimEnd()
            .split('\n')
            .map((text) => `    ${text}`),
        ]),
  ].join('\n');
}

const MAX_REQUESTS = 40;

function line({ id, title, passed, skipped, tookMs }: Outcome, width: number): string {
  const verdict = skipped ? 'skip' : passed ? 'pass' : 'FAIL';
  return `${verdict}  ${id.padEnd(width)}  ${(tookMs / 1_000).toFixed(1).padStart(5)} s  ${title}`;
}

function request({ atMs, method, path, body, fate, status, answer }: LoggedRequest): string {
  const answered = status === null ? '' : `, the service answered ${status} ${show(answer, 160)}`;
  return `    ${(atMs / 1_000).toFixed(3)} s  ${method} ${path} ${show(body, 240)}: ${fate}${answered}`;
}
