/**
 * Compiles the Android half against the client of Android, the API of Android 10, Capacitor's own classes where they need no
 * androidx, and stubs of the others; and compares what it makes for JavaScript with the shapes of core.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import {
  CLIENT_JAR,
  COMPILER,
  CORE_JAR,
  COROUTINES,
  DIST,
  STDLIB,
} from '../../../clients/android/tools/paths.js';
import { java, run } from '../../../clients/android/tools/run.js';
import { SHAPES } from '../test/shapes.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const API = join(DIST, 'android-29.jar');
const OUT = join(import.meta.dirname, 'dist/android');
const CAPACITOR = join(
  dirname(createRequire(import.meta.url).resolve('@capacitor/android/package.json')),
  'capacitor/src/main/java/com/getcapacitor',
);
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
kotlin(plugin, [API, join(OUT, 'capacitor')], ['-no-jdk', '-module-name', 'plugin', ...sources]);
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
  const classPath = [plugin, join(OUT, 'capacitor'), API];
  const test = join(PACKAGE, 'android/test/ShapesMain.kt');
  kotlin(program, classPath, [`-Xfriend-paths=${plugin},${CORE_JAR}`, test]);
  const path = [program, ...classPath, CLIENT_JAR, CORE_JAR, STDLIB, COROUTINES];
  const told = java(path, 'dev.throughline.capacitor.test.ShapesMainKt', []);
  assert.deepEqual(JSON.parse(told), SHAPES);
}

function kotlin(output, classPath, words) {
  const path = [...classPath, CORE_JAR, CLIENT_JAR, COROUTINES].join(':');
  const options = ['-Werror', '-no-reflect', '-cp', path, '-d', output];
  java([COMPILER], 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler', [...options, ...words]);
}
