/**
 * Compiles the half for iOS against the client of iOS, whose Apple modules are stubs here, and a stub of Capacitor; and
 * compares what it makes for JavaScript with the shapes of core.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { run } from '../../../clients/android/tools/run.js';
import { compileModule, compileProgram, STUBS } from '../../../clients/swift/compile.js';
import { enter, within } from '../../../clients/swift/toolchain.js';
import { SHAPES } from '../test/shapes.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const OUT = join(import.meta.dirname, 'dist/swift');

if (enter()) {
  if (!existsSync(join(STUBS, 'ThroughlineIOS.swiftmodule')))
    throw new Error('The client of iOS is not compiled: run npm run test:swift first');
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const options = { out: OUT, version: '5' };
  compileModule('Capacitor', globSync(join(PACKAGE, 'ios/Stubs/Capacitor/*.swift')), options);
  const sources = globSync(join(PACKAGE, 'ios/Sources/ThroughlinePlugin/*.swift'));
  compileModule('ThroughlinePlugin', sources.map(withoutObjectiveC), options);
  compareShapes();
  readManifest();
}

/** Swift on Linux knows no Objective-C. @returns a copy, whose class can be built but not called by Capacitor. */
function withoutObjectiveC(file) {
  const copy = join(OUT, basename(file));
  writeFileSync(copy, readFileSync(file, 'utf8').replace(/@objc(\(\w+\))? ?/g, ''));
  return copy;
}

function compareShapes() {
  const program = join(OUT, 'shapes');
  const sources = ['Checks/main', 'Sources/ThroughlinePlugin/Shapes', 'Sources/ThroughlinePlugin/Options'];
  const files = sources.map((name) => join(PACKAGE, `ios/${name}.swift`));
  compileProgram(program, [...files, join(OUT, 'Capacitor.o')], ['-I', OUT]);
  const [command, ...words] = within(program);
  assert.deepEqual(JSON.parse(run(command, words)), SHAPES);
}

/** Its dependencies are not fetched. */
function readManifest() {
  const [command, ...words] = within('swift', 'package', '--package-path', PACKAGE, 'dump-package');
  const { targets } = JSON.parse(run(command, words));
  const missing = targets.map(({ path }) => join(PACKAGE, path)).filter((path) => !existsSync(path));
  assert.deepEqual(missing, [], 'run npm run build first');
}
