/**
 * Compiles the Android half against the client of Android, the API of Android 10, Capacitor's own classes where they need no
 * androidx, and stubs of the others; and compares what it makes for JavaScript with the shapes of core.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { kotlin } from '../../../clients/android/tools/compile.js';
import {
  API,
  CLIENT_JAR,
  COMPILER,
  CORE_JAR,
  COROUTINES,
  STDLIB,
} from '../../../clients/android/tools/paths.js';
import { java, run } from '../../../clients/android/tools/run.js';
import { SHAPES } from '../test/shapes.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const OUT = join(import.meta.dirname, 'dist/android');
const CAPACITOR = join(
  dirname(createRequire(import.meta.url).resolve('@capacitor/android/package.json')),
  'capacitor/src/main/java/com/getcapacitor',
);
const CLIENTS = [CORE_JAR, CLIENT_JAR, COROUTINES];
/** Those that compile without androidx, but for the stubs. */
const OWN = [
  'JSObject',
  'JSArray',
  'PluginCall',
  'PluginResult',
  'PluginMethod',
  'annotation/CapacitorPlugin',
  'annotation/Permission',
];

for (const file of [API, CORE_JAR, CLIENT_JAR, COMPILER])
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run test:android first`);
rmSync(OUT, { recursive: true, force: true });
mkdirSync(join(OUT, 'capacitor'), { recursive: true });
compareStubs();
const stubs = globSync(join(PACKAGE, 'android/stubs/**/*.java'));
const own = OWN.map((name) => join(CAPACITOR, `${name}.java`));
const options = ['-nowarn', '-Xlint:none', '--release', '8', '-Xlint:-options'];
run('javac', [...options, '-cp', API, '-d', join(OUT, 'capacitor'), ...stubs, ...own]);
const plugin = join(OUT, 'plugin.jar');
const sources = globSync(join(PACKAGE, 'android/src/main/java/**/*.kt'));
kotlin([API, join(OUT, 'capacitor'), ...CLIENTS], plugin, sources, ['-no-jdk', '-module-name', 'plugin']);
compareShapes(plugin);

/** A stub that says what Capacitor does not have would hide a mistake. */
function compareStubs() {
  for (const file of globSync(join(PACKAGE, 'android/stubs/com/getcapacitor/*.java'))) {
    const source = readFileSync(join(CAPACITOR, basename(file)), 'utf8');
    for (const [, declared] of readFileSync(file, 'utf8').matchAll(/^ {4}((?:public|protected) [^{;=]+)/gm))
      assert.ok(source.includes(declared.trim()), `Capacitor’s ${basename(file)} has no ${declared}`);
  }
}

function compareShapes(plugin) {
  const program = join(OUT, 'shapes.jar');
  const classPath = [plugin, join(OUT, 'capacitor'), API, ...CLIENTS];
  const test = join(PACKAGE, 'android/test/ShapesMain.kt');
  kotlin(classPath, program, [test], [`-Xfriend-paths=${plugin},${CORE_JAR}`]);
  const told = java([program, ...classPath, STDLIB], 'dev.throughline.capacitor.test.ShapesMainKt', []);
  assert.deepEqual(JSON.parse(told), SHAPES);
}
