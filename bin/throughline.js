#!/usr/bin/env node
// Plain JavaScript: Node before 24 cannot run TypeScript, but can start the bundled Node that does.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const isWindows = process.platform === 'win32';
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const executable = isWindows ? 'node.exe' : 'node';
const bundled = fileURLToPath(new URL(`../node_modules/${nodePackage}/bin/${executable}`, import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Loading the program takes a second; without handlers PID 1 would ignore signals meanwhile.
  if (process.argv[2] === 'serve')
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  await import(main);
} else if (existsSync(bundled)) {
  const child = spawn(bundled, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
} else {
  process.stderr.write(
    'Throughline needs Node 24. Run “npm ci” in its folder to install it. On systems without a Node package in npm, such as a Mac with Apple silicon, install Node 24 yourself.\n',
  );
  process.exit(1);
}
