#!/usr/bin/env node
// Plain JavaScript that Node 16 can parse, so that an older Node says what is missing.
import process from 'node:process';

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Throughline needs Node 24, and this is Node ${process.versions.node}. Install Node 24, or name it: /path/to/node24 ${process.argv[1]}.\n`,
  );
  process.exit(1);
}
// Loading the program takes half a second; without handlers PID 1 would ignore signals meanwhile.
if (process.argv[2] === 'serve')
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
await import(new URL('code/main.js', import.meta.url).href);
