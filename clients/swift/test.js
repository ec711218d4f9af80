/**
 * Builds and tests the Swift package: `node test.js`, or some steps of it by name; `node test.js format` formats it. The layer
 * for iOS is compiled against the modules in Stubs/ where Apple's are missing, and runs on them.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLayer } from './layer.js';
import { enter, swift, within } from './toolchain.js';

const HERE = import.meta.dirname;
const BUILD = join(HERE, '.build');
const STUBS = join(BUILD, 'stubs');
/** In an order in which each finds those that it imports. */
const STUB_MODULES = ['UIKit', 'SwiftUI', 'StoreKit', 'AdServices', 'AdAttributionKit', 'Network'];
/** The stubs have the names of modules that are there. */
const hasApple = process.platform === 'darwin';
const STRICT = ['-swift-version', '6', '-warnings-as-errors'];

const FORMATTED = ['--recursive', 'Package.swift', 'Sources', 'Tests', 'Stubs'];

const STEPS = {
  build: () => swift('swift', 'build', '--build-tests', '-Xswiftc', '-warnings-as-errors'),
  lint: () => swift('swift', 'format', 'lint', '--strict', ...FORMATTED),
  test: () => swift('swift', 'test', '--skip-build', '-Xswiftc', '-warnings-as-errors'),
  ios: compileLayer,
  layer: runCompiledLayer,
  readme: compileReadme,
  kit: runKit,
};

/** By name only. */
const FORMAT = { format: () => swift('swift', 'format', 'format', '--in-place', ...FORMATTED) };

if (enter()) {
  const names = process.argv.slice(2);
  const steps = { ...STEPS, ...FORMAT };
  for (const name of names.length === 0 ? Object.keys(STEPS) : names) {
    if (!Object.hasOwn(steps, name)) throw new Error(`The steps are ${Object.keys(steps).join(', ')}`);
    const startedAt = performance.now();
    await steps[name]();
    console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}

/** Compiles instead of checking types alone: only then the compiler looks for data races too. */
function compileLayer() {
  if (hasApple) return console.log('Left out: `xcodebuild` compiles the layer against Apple’s own modules');
  rmSync(STUBS, { recursive: true, force: true });
  mkdirSync(STUBS, { recursive: true });
  for (const module of STUB_MODULES) compileModule(module, sourcesOf(`Stubs/${module}`), []);
  compileModule('ThroughlineIOS', sourcesOf('Sources/ThroughlineIOS'), [
    '-I',
    join(BUILD, 'debug/Modules'),
    '-DTHROUGHLINE_STUBS',
  ]);
}

async function runCompiledLayer() {
  if (hasApple) return console.log('Left out: it runs on the stub modules');
  const objects = [...STUB_MODULES, 'ThroughlineIOS'].map((name) => join(STUBS, `${name}.o`));
  const core = globSync(join(BUILD, 'debug/Throughline.build/*.o'));
  const phone = join(STUBS, 'phone');
  const search = [
    '-I',
    STUBS,
    '-I',
    join(BUILD, 'debug/Modules'),
    '-module-cache-path',
    join(BUILD, 'module-cache'),
  ];
  const sources = [join(HERE, 'Tests/Layer/Phone.swift'), ...objects, ...core];
  swift(
    'swiftc',
    ...STRICT,
    '-parse-as-library',
    '-module-name',
    'Phone',
    ...search,
    '-o',
    phone,
    ...sources,
  );
  await runLayer(within(phone));
}

/** Each block of the README that begins with an import is a file of its own, for apps of both language modes. */
function compileReadme() {
  if (hasApple) return console.log('Left out: it needs the stub modules');
  const readme = readFileSync(join(HERE, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```swift\n(import .*?)^```/gms)].map(([, code]) => code);
  if (blocks.length === 0) throw new Error('README.md has no code to compile');
  for (const [index, code] of blocks.entries()) {
    const file = join(STUBS, `Readme${index}.swift`);
    writeFileSync(file, code);
    for (const mode of ['5', '6'])
      compileModule(`Readme${index}`, [file], ['-I', join(BUILD, 'debug/Modules'), '-swift-version', mode]);
  }
}

function compileModule(module, sources, options) {
  const emitted = [
    '-emit-module-path',
    join(STUBS, `${module}.swiftmodule`),
    '-o',
    join(STUBS, `${module}.o`),
  ];
  const search = ['-I', STUBS, '-module-cache-path', join(BUILD, 'module-cache')];
  const what = ['-c', '-wmo', '-parse-as-library', '-emit-module', '-module-name', module];
  swift('swiftc', ...STRICT, ...what, ...emitted, ...search, ...options, ...sources);
}

function sourcesOf(folder) {
  return globSync(join(HERE, folder, '**/*.swift')).sort();
}

function runKit() {
  // The runner hands it to a shell.
  const client = within(join(BUILD, 'debug/Kit'))
    .map((word) => `'${word}'`)
    .join(' ');
  const runner = join(HERE, '../../packages/conformance/src/main.ts');
  const { status } = spawnSync(process.execPath, [runner, '--client', client], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The conformance kit failed');
}
