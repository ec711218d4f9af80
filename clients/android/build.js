/**
 * Builds and tests the Android client from nothing: the toolchain, the client against the API of Android 10, its tests and the
 * conformance kit on fakes, the packages for Maven Central, and the sample app. What it makes is in `dist`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compileClients,
  compileFakes,
  compilePrograms,
  compileSnippets,
  compileTools,
  FAKES,
  RUNTIME,
  writeStubs,
} from './tools/compile.js';
import { packageClients } from './tools/package.js';
import { API, CLIENT_JAR, COMPILER, CORE_JAR, DIST, HERE, ROOT, TOOLS } from './tools/paths.js';
import { JAVA, java, run, step } from './tools/run.js';
import { buildSample } from './tools/sample.js';
import { readSnippets } from './tools/snippets.js';
import { ensureToolchain } from './tools/toolchain.js';

const { root, signatures } = step('Toolchain', ensureToolchain);
step('Tools', compileTools);
step('Stubs of Android 10', () => writeStubs(signatures));
step('Clients', compileClients);
step('Fakes', () => compileFakes(root));
step('Checks of members', checkMembers);
step('Tests and kit program', compilePrograms);
step('Code of the page', () => compileSnippets(readSnippets()));
step('Unit tests', () => java(RUNTIME, 'dev.throughline.android.test.MainKt', [], { shown: true }));
step('Conformance kit', runKit);
step('Packages', () => process.stdout.write(`${packageClients()}\n`));
step('Sample app', () => process.stdout.write(`${buildSample(root)}\n`));

function checkMembers() {
  const tools = [TOOLS, COMPILER];
  const oldApi = join(root, 'usr/share/java/com.android.android-23.jar');
  process.stdout.write(java(tools, 'members.FakesCheck', [FAKES, API]));
  const levels = join(HERE, 'tools/since.txt');
  process.stdout.write(java(tools, 'members.CallsCheck', [API, oldApi, levels, CORE_JAR, CLIENT_JAR]));
}

function runKit() {
  const start = join(DIST, 'kit');
  writeFileSync(start, [...JAVA, `-cp "${RUNTIME.join(':')}"`, 'dev.throughline.kit.MainKt', ''].join('\n'));
  const kit = [join(ROOT, 'packages/conformance/src/main.ts'), '--client', `java @${start}`];
  run(process.execPath, kit, { cwd: ROOT, shown: true });
}
