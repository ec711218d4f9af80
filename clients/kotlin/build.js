/**
 * Compiles the client, its tests and its conformance program into `dist`, with the compiler from npm. `java @dist/test`
 * and `java @dist/kit` run the latter two.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const HERE = import.meta.dirname;
const LIBRARIES = join(HERE, 'node_modules/kotlin-compiler/lib');
const CLIENT = join(HERE, 'dist/throughline.jar');
const COROUTINES = join(LIBRARIES, 'kotlinx-coroutines-core-jvm.jar');
const RUNTIME = [join(LIBRARIES, 'kotlin-stdlib.jar'), COROUTINES, CLIENT];
const TEST_LIBRARY = join(LIBRARIES, 'kotlin-test.jar');

mkdirSync(join(HERE, 'dist'), { recursive: true });
compile('src', CLIENT, [COROUTINES], ['-Xexplicit-api=strict']);
// Friends see internal declarations.
compile('test', programOf('test'), [COROUTINES, CLIENT, TEST_LIBRARY], [`-Xfriend-paths=${CLIENT}`]);
compile('kit', programOf('kit'), [COROUTINES, CLIENT], [`-Xfriend-paths=${CLIENT}`]);
writeStart('test', 'dev.throughline.test.MainKt', [TEST_LIBRARY]);
// Each start is a cold start of an app: short ones matter more than fast code.
writeStart('kit', 'dev.throughline.kit.MainKt', [], '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto');

function programOf(folder) {
  return join(HERE, 'dist', `${folder}.jar`);
}

function compile(folder, jar, classPath, options) {
  const sources = globSync(join(HERE, folder, '**/*.kt')).sort();
  const compiler = ['-cp', join(LIBRARIES, 'kotlin-compiler.jar'), 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler'];
  const all = [...options, '-Werror', '-jvm-target', '11', '-no-reflect'];
  const { status, error } = spawnSync('java', [...compiler, ...all, '-cp', classPath.join(delimiter), '-d', jar, ...sources], {
    stdio: 'inherit',
  });
  if (error !== undefined) throw new Error('java was not found: install a JDK from 17', { cause: error });
  if (status !== 0) process.exit(1);
}

/** Quoted, since paths may have spaces; a backslash escapes within quotes. */
function writeStart(folder, main, libraries, options = '') {
  const classPath = [...RUNTIME, ...libraries, programOf(folder)].join(delimiter).replaceAll('\\', '\\\\');
  writeFileSync(join(HERE, 'dist', folder), `${options}\n-cp "${classPath}"\n${main}\n`);
}
