/** Compiles modules and programs beside what `swift build` makes: the stubs, and what imports them. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { swift } from './toolchain.js';

export const BUILD = join(import.meta.dirname, '.build');
/** The modules of the stubs, and of the layer for iOS over them. */
export const STUBS = join(BUILD, 'stubs');
const SEARCH = [
  ...['-I', STUBS, '-I', join(BUILD, 'debug/Modules')],
  ...['-module-cache-path', join(BUILD, 'module-cache')],
];

/** Compiles instead of checking types alone: only then the compiler looks for data races too. */
export function compileModule(module, sources, { out = STUBS, version = '6', options = [] } = {}) {
  const what = ['-c', '-wmo', '-parse-as-library', '-emit-module', '-module-name', module];
  const emitted = ['-emit-module-path', join(out, `${module}.swiftmodule`), '-o', join(out, `${module}.o`)];
  const rules = ['-swift-version', version, '-warnings-as-errors', ...options];
  swift('swiftc', ...rules, ...what, ...emitted, '-I', out, ...SEARCH, ...sources);
}

/** Links it with the core. */
export function compileProgram(program, sources, options = []) {
  const core = globSync(join(BUILD, 'debug/Throughline.build/*.o'));
  swift('swiftc', ...options, ...SEARCH, '-o', program, ...sources, ...core);
}
