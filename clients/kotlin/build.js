/**
 * Compiles the client into `dist/throughline.jar`, and its tests and conformance program into `dist/programs.jar`, with
 * the compiler from npm. `java @dist/test` and `java @dist/kit` run these.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const HERE = import.meta.dirname;
const LIBRARIES = join(HERE, 'node_modules/kotlin-compiler/lib');
const STDLIB = join(LIBRARIES, 'kotlin-stdlib.jar');
const COROUTINES = join(LIBRARIES, 'kotlinx-coroutines-core-jvm.jar');
const TEST_LIBRARY = join(LIBRARIES, 'kotlin-test.jar');
const CLIENT = join(HERE, 'dist/throughline.jar');
const PROGRAMS = join(HERE, 'dist/programs.jar');
/** Both the compiler and the programs live for seconds. */
const SHORT_LIFE = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

mkdirSync(join(HERE, 'dist'), { recursive: true });
compile('src', CLIENT, [COROUTINES], '-Xexplicit-api=strict');
// Friends see internal declarations.
compile('{test,kit}', PROGRAMS, [COROUTINES, CLIENT, TEST_LIBRARY], `-Xfriend-paths=${CLIENT}`);
writeStart('test');
writeStart('kit');

function compile(folder, jar, classPath, option) {
  const sources = globSync(join(HERE, folder, '*.kt')).sort();
  const options = [option, '-Werror', '-Xjdk-release=8', '-no-reflect', '-cp', classPath.join(delimiter)];
  const compiler = [
    '-cp',
    join(LIBRARIES, 'kotlin-compiler.jar'),
    'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler',
  ];
  const { status, error } = spawnSync(
    'java',
    [...SHORT_LIFE, ...compiler, ...options, '-d', jar, ...sources],
    { stdio: 'inherit' },
  );
  if (error !== undefined) throw new Error('Java does not start: install a JDK from 17.', { cause: error });
  if (status !== 0) process.exit(1);
}

/** Quoted, since paths may have spaces; a backslash escapes within quotes. */
function writeStart(name) {
  const classPath = [STDLIB, COROUTINES, TEST_LIBRARY, CLIENT, PROGRAMS].join(delimiter);
  const quoted = `"${classPath.replaceAll('\\', '\\\\')}"`;
  const lines = [...SHORT_LIFE, `-cp ${quoted}`, `dev.throughline.${name}.MainKt`];
  writeFileSync(join(HERE, 'dist', name), `${lines.join('\n')}\n`);
}
