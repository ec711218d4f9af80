#!/usr/bin/env node
// Plain JavaScript that Node 16 can parse, so that an older Node says what is missing.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Throughline needs Node 24, and this is Node ${process.versions.node}. Install Node 24, or name it: /path/to/node24 ${process.argv[1]}.\n`,
  );
  // EX_CONFIG of sysexits.h: a supervisor need not try again.
  process.exit(78);
}
if (process.argv[2] === 'serve') {
  // Loading the program takes half a second; without handlers PID 1 would ignore signals meanwhile.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  keepCompiledCode();
}
await import(new URL('code/main.js', import.meta.url).href);

/** For the next start. Not by a command, whose user may be another one, with files that the service cannot replace. */
function keepCompiledCode() {
  try {
    // As the program does: named files take its place.
    if (!process.execArgv.some((option) => option.startsWith('--env-file'))) process.loadEnvFile('.env');
  } catch {
    // The program says what is wrong with it.
  }
  const { CACHE_DIRECTORY, DATA_DIR = 'data' } = process.env;
  const place = CACHE_DIRECTORY ?? DATA_DIR;
  if (!existsSync(place)) return;
  // The service's files are private to their owner.
  process.umask(0o077);
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? join(place, 'compiled'));
}
