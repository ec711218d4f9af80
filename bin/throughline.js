#!/usr/bin/env node
// Older versions of Node cannot run TypeScript: this file is plain JavaScript, so that it can start the right one.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const bundled = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Loading the program takes a second, and PID 1 does not receive a signal that it has no handler for.
  if (process.argv[2] === 'serve')
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  await import(main);
} else if (existsSync(bundled)) {
  const child = spawn(bundled, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
} else {
  process.stderr.write('Throughline needs Node 24. Run “npm ci” in its folder, which brings it along.\n');
  process.exit(1);
}
