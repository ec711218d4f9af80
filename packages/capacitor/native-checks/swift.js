/**
 * Compiles the half for iOS against the client of iOS, whose Apple modules are stubs here, and a stub of Capacitor; and
 * compares what it makes for JavaScript with the shapes of core.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { enter, within } from '../../../clients/swift/toolchain.js';
import { SHAPES } from '../test/shapes.ts';
import { run } from './run.js';

const PACKAGE = resolve(import.meta.dirname, '..');
const BUILD = resolve(PACKAGE, '../../clients/swift/.build');
const STUBS = join(BUILD, 'stubs');
const MODULES = join(BUILD, 'debug/Modules');
const OUT = join(import.meta.dirname, 'dist/swift');
const CACHE = ['-module-cache-path', join(BUILD, 'module-cache')];

if (enter()) {
  if (!existsSync(join(STUBS, 'ThroughlineIOS.swiftmodule')))
    throw new Error('The client of iOS is not compiled: run npm run test:swift first');
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  compile('Capacitor', globSync(join(PACKAGE, 'ios/Stubs/Capacitor/*.swift')));
  compile(
    'ThroughlinePlugin',
    globSync(join(PACKAGE, 'ios/Sources/ThroughlinePlugin/*.swift')).map(withoutObjectiveC),
  );
  compareShapes();
}

/** Swift on Linux knows no Objective-C. @returns a copy, whose class can be built but not called by Capacitor. */
function withoutObjectiveC(file) {
  const copy = join(OUT, basename(file));
  writeFileSync(copy, readFileSync(file, 'utf8').replace(/@objc(\(\w+\))? ?/g, ''));
  return copy;
}

function compile(module, sources) {
  const emitted = ['-emit-module-path', join(OUT, `${module}.swiftmodule`), '-o', join(OUT, `${module}.o`)];
  const search = ['-I', OUT, '-I', STUBS, '-I', MODULES, ...CACHE];
  const what = ['-c', '-wmo', '-parse-as-library', '-emit-module', '-module-name', module];
  swiftc('-swift-version', '5', '-warnings-as-errors', ...what, ...emitted, ...search, ...sources);
}

function compareShapes() {
  const program = join(OUT, 'shapes');
  const sources = [
    join(PACKAGE, 'ios/Checks/main.swift'),
    join(PACKAGE, 'ios/Sources/ThroughlinePlugin/Shapes.swift'),
  ];
  swiftc('-I', MODULES, ...CACHE, '-o', program, ...sources, join(MODULES, 'Throughline.o'));
  const [command, ...words] = within(program);
  assert.deepEqual(JSON.parse(run(command, words)), SHAPES);
}

function swiftc(...words) {
  const [command, ...rest] = within('swiftc', ...words);
  run(command, rest);
}
