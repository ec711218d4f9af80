/**
 * Compiles the Android half against the client of Android, the API of Android 10, Capacitor's own classes where they need no
 * androidx, and stubs of the others; and compares what it makes for JavaScript with the shapes of core.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { SHAPES } from '../test/shapes.ts';
import { run } from './run.js';

const PACKAGE = resolve(import.meta.dirname, '..');
const CLIENTS = resolve(PACKAGE, '../../clients');
const LIBRARIES = join(CLIENTS, 'kotlin/node_modules/kotlin-compiler/lib');
const COMPILER = join(LIBRARIES, 'kotlin-compiler.jar');
const STDLIB = join(LIBRARIES, 'kotlin-stdlib.jar');
const COROUTINES = join(LIBRARIES, 'kotlinx-coroutines-core-jvm.jar');
const BUILD = join(CLIENTS, 'android/dist');
const [API, CORE, CLIENT] = ['android-29', 'throughline-kotlin', 'throughline-android'].map((name) =>
  join(BUILD, `${name}.jar`),
);
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

for (const file of [API, CORE, CLIENT, COMPILER])
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
  kotlin(program, classPath, [`-Xfriend-paths=${plugin},${CORE}`, test]);
  const path = [program, plugin, CLIENT, CORE, STDLIB, COROUTINES, join(OUT, 'capacitor'), API].join(':');
  const told = run('java', ['-cp', path, 'dev.throughline.capacitor.test.ShapesMainKt']);
  assert.deepEqual(JSON.parse(told), SHAPES);
}

function kotlin(output, classPath, words) {
  const compiler = ['-cp', COMPILER, 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'];
  const path = [...classPath, CORE, CLIENT, COROUTINES].join(':');
  run('java', [
    '-XX:TieredStopAtLevel=1',
    ...compiler,
    '-Werror',
    '-no-reflect',
    '-cp',
    path,
    '-d',
    output,
    ...words,
  ]);
}
