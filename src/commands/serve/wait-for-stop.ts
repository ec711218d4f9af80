import { replaceHandlers } from './replace-handlers.ts';

/** Ends with `code` at SIGTERM or SIGINT, and not before: for a supervisor that would start an ended process for ever. */
export function waitForStop(code: number): void {
  process.stderr.write('The service does not run, and waits to be stopped (WAIT_WHEN_REFUSED).\n');
  for (const name of ['SIGTERM', 'SIGINT'] as const) replaceHandlers(name, () => process.exit(code));
  setInterval(() => undefined, 1 << 30);
}
