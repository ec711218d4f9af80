#!/usr/bin/env node
// Plain JavaScript that Node 16 can parse: an older Node cannot run TypeScript, but can start the bundled Node that does.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const main = new URL('../src/main.ts', import.meta.url).href;
const folder = fileURLToPath(new URL('..', import.meta.url));
const isWindows = process.platform === 'win32';
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const executable = isWindows ? 'node.exe' : 'node';
const bundled = fileURLToPath(new URL(`../node_modules/${nodePackage}/bin/${executable}`, import.meta.url));

const isNode24 = Number(process.versions.node.split('.')[0]) >= 24;
// A Node can be built, or told by NODE_OPTIONS, not to run TypeScript.
const runsTypeScript = isNode24 && process.features.typescript !== false;

if (runsTypeScript) await runProgram();
else if (existsSync(bundled) && realpathSync(bundled) !== process.execPath) runBundledNode();
else if (isNode24)
  fail('Node runs without TypeScript here. Remove the option that disables it from NODE_OPTIONS');
else
  fail(
    `Throughline needs Node 24, and this is Node ${process.versions.node}. Run “npm ci” in ${folder} to install it. On systems without a Node package in npm, such as a Mac with Apple silicon, install Node 24 yourself`,
  );

async function runProgram() {
  // Loading the program takes a second; without handlers PID 1 would ignore signals meanwhile.
  if (process.argv[2] === 'serve')
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  try {
    await import(main);
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    fail(`Throughline’s packages are not installed: ${error.message}. Run “npm ci” in ${folder}`);
  }
}

function runBundledNode() {
  const child = spawn(bundled, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) =>
    fail(`Node 24 in node_modules cannot be started: ${error.message}. Run “npm ci” in ${folder}`),
  );
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

function fail(message) {
  process.stderr.write(`${message}.\n`);
  // EX_CONFIG of sysexits.h: a supervisor need not try again.
  process.exit(78);
}
