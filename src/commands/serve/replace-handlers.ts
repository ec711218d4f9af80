/**
 * Handles a signal in place of all earlier handlers, such as that of `bin/throughline.js`. They go last: without any
 * handler Node would drop a signal that has arrived and that its next turn would have told.
 */
export function replaceHandlers(name: NodeJS.Signals, handle: (signal: NodeJS.Signals) => void): void {
  const earlier = process.listeners(name);
  process.on(name, handle);
  for (const each of earlier) process.off(name, each);
}
