/** Compiles the clients against the API of Android, the fakes, and the programs that run on them. */
import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  API,
  CLIENT_JAR,
  COMPILER,
  CORE_JAR,
  COROUTINES,
  DIST,
  HERE,
  KOTLIN,
  STDLIB,
  TEST_LIBRARY,
  TOOLS,
} from './paths.js';
import { java, run } from './run.js';
import { libraryPath } from './toolchain.js';

export const FAKES = join(DIST, 'fakes');
export const PROGRAMS = join(DIST, 'programs');
/** What a program on the fakes needs. */
export const RUNTIME = [PROGRAMS, FAKES, CORE_JAR, CLIENT_JAR, STDLIB, COROUTINES, TEST_LIBRARY];
/** Lambdas as classes, since old tools for Android know no other ones. */
const INDEPENDENT = ['-no-jdk', '-Xexplicit-api=strict', '-Xlambdas=class', '-Xsam-conversions=class'];

/** Our own programs for class files. */
export function compileTools() {
  mkdirSync(TOOLS, { recursive: true });
  run('javac', ['-d', TOOLS, '-cp', COMPILER, ...globSync(join(HERE, 'tools/*/*.java'))]);
}

export function writeStubs(signatures) {
  process.stdout.write(java([TOOLS, COMPILER], 'stubs.Main', [signatures, API]));
}

export function compileClients() {
  kotlin([API, COROUTINES], CORE_JAR, globSync(join(KOTLIN, 'src/*.kt')), [
    ...INDEPENDENT,
    '-module-name',
    'throughline-kotlin',
  ]);
  const options = [...INDEPENDENT, '-module-name', 'throughline-android'];
  kotlin([API, COROUTINES, CORE_JAR], CLIENT_JAR, globSync(join(HERE, 'src/*.kt')), options);
}

/** The server of Play's interface is the work of the compiler for AIDL. */
export function compileFakes(root) {
  const generated = join(DIST, 'aidl');
  mkdirSync(generated, { recursive: true });
  const service = 'com/google/android/finsky/externalreferrer/IGetInstallReferrerService.aidl';
  const known = join(HERE, 'fakes/framework.aidl');
  run(join(root, 'usr/bin/aidl'), [`-p${known}`, `-o${generated}`, join(HERE, 'fakes', service)], {
    env: libraryPath(root),
  });
  emptyFolder(FAKES);
  run('javac', [
    '-nowarn',
    '-d',
    FAKES,
    ...globSync([join(HERE, 'fakes/**/*.java'), join(generated, '**/*.java')]),
  ]);
}

/** Tests, and the program of the conformance kit. */
export function compilePrograms() {
  emptyFolder(PROGRAMS);
  const classPath = [FAKES, COROUTINES, CORE_JAR, CLIENT_JAR, TEST_LIBRARY];
  const javaFiles = globSync(join(HERE, 'test/*.java'));
  const sources = [
    ...globSync(join(HERE, '{test,kit}/*.kt')),
    ...globSync(join(KOTLIN, 'kit/{Commands,FaultyStorage,Main}.kt')),
    join(KOTLIN, 'test/Runner.kt'),
    ...javaFiles,
  ];
  kotlin(classPath, PROGRAMS, sources, [`-Xfriend-paths=${CORE_JAR},${CLIENT_JAR}`]);
  const options = ['-d', PROGRAMS, '-cp', [PROGRAMS, ...classPath, STDLIB].join(':')];
  run('javac', [...options, ...javaFiles]);
}

/** The code of the page, against the API of Android. */
export function compileSnippets({ kotlin: kotlinFile, java: javaFile }) {
  const output = join(DIST, 'snippets');
  emptyFolder(output);
  kotlin([API, COROUTINES, CORE_JAR, CLIENT_JAR], output, [kotlinFile], ['-no-jdk']);
  const classPath = [API, CORE_JAR, CLIENT_JAR, STDLIB].join(':');
  run('javac', ['-Xlint:-options', '--release', '8', '-d', output, '-cp', classPath, javaFile]);
}

export function kotlin(classPath, output, sources, options) {
  const compiler = 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler';
  const fixed = ['-Werror', '-no-reflect', '-cp', classPath.join(':'), '-d', output];
  java([COMPILER], compiler, [...fixed, ...options, ...sources]);
}

function emptyFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
