/**
 * The native module of `@throughline/react-native-ads`: React Native's own codegen, then both halves compiled over stubs of
 * the systems, which prove agreement with what we believe of these. A phone has not seen it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PackedApp } from './packed-app.ts';

const app = new PackedApp('packages/react-native/bare-app');
const STUBS = resolve('packages/react-native-ads/test/stubs');
/** Those of the Swift client. */
const APPLE = resolve('clients/swift/Stubs');
const PACKAGE = join(app.dir, 'node_modules/@throughline/react-native-ads');
const KOTLIN = resolve('clients/kotlin/node_modules/kotlin-compiler/lib');
const LIBRARY = 'ThroughlineAdsSpec';
/** Commands of a Swift toolchain, such as `swiftc` and `clang++`; in CI those of the machine. */
const { SWIFTC = 'swiftc', CLANG = 'clang++' } = process.env;
/** On a Mac the stubs would have the names of Apple's own modules. */
const without = (command: string) =>
  process.platform !== 'darwin' && spawnSync(command, ['--version']).status === 0
    ? false
    : `there is no ${command}, or the machine is a Mac`;

describe('the native module for ads', () => {
  const out = mkdtempSync(join(tmpdir(), 'throughline-native-ads-'));
  const generated = join(out, 'build/generated/ios/ReactCodegen');
  before(() => app.install());
  after(() => rmSync(out, { recursive: true }));

  it('has the specification that React Native generates interfaces from, for both systems', () => {
    const root = ['--path', PACKAGE, '--outputPath', out, '--source', 'library'];
    app.node('react-native/scripts/generate-codegen-artifacts.js', [...root, '--targetPlatform', 'ios']);
    const schema = join(out, 'schema.json');
    const names = ['--libraryName', LIBRARY, '--javaPackageName', 'dev.throughline.reactnative'];
    const combine = '@react-native/codegen/lib/cli/combine/combine-js-to-schema-cli.js';
    app.node(combine, ['--platform', 'android', '--libraryName', LIBRARY, schema, join(PACKAGE, 'src')]);
    const files = ['--schemaPath', schema, '--outputDir', join(out, 'android')];
    app.node('react-native/scripts/generate-specs-cli.js', ['--platform', 'android', ...files, ...names]);
    assert.match(readFileSync(headerOf(generated), 'utf8'), /@protocol NativeThroughlineAdsSpec/);
    assert.match(readFileSync(interfaceOf(out), 'utf8'), /class NativeThroughlineAdsSpec/);
  });

  it('implements the interface of Android, and reads the newest referrer of Meta’s apps from fakes of them', () => {
    app.run('npm', ['--prefix', resolve('clients/kotlin'), 'ci', '--no-audit', '--no-fund']);
    const stdlib = join(KOTLIN, 'kotlin-stdlib.jar');
    const jar = join(out, 'ads.jar');
    const sources = [STUBS, join(PACKAGE, 'android')].flatMap((folder) =>
      globSync(join(folder, '**/*.kt')).sort(),
    );
    const compiler = ['-cp', join(KOTLIN, 'kotlin-compiler.jar')];
    const program = 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler';
    const options = ['-Werror', '-no-reflect', '-d', jar, interfaceOf(out)];
    app.run('java', ['-XX:TieredStopAtLevel=1', ...compiler, program, ...options, ...sources]);
    const classPath = [jar, join(out, 'classes'), stdlib].join(delimiter);
    app.run('javac', ['-cp', classPath, '-d', join(out, 'classes'), interfaceOf(out)]);
    assert.equal(app.run('java', ['-cp', classPath, 'dev.throughline.reactnative.CheckKt']), 'ok\n');
  });

  it('implements the interface of iOS over its Swift half', { skip: without(CLANG) }, () => {
    const headers = join(out, 'headers');
    const named = readFileSync(headerOf(generated), 'utf8').matchAll(/^#import <(\w+\/\w+\.h)>/gm);
    for (const name of [...[...named].map(([, name = '']) => name), 'ThroughlineReactNativeAds-Swift.h']) {
      mkdirSync(dirname(join(headers, name)), { recursive: true });
      writeFileSync(join(headers, name), '#include "stubs.h"\n');
    }
    const language = ['-x', 'objective-c++', '-std=c++20', '-fobjc-arc', '-fblocks', '-fobjc-runtime=ios'];
    const warnings = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter'];
    const folders = [headers, join(STUBS, 'objc'), generated].flatMap((folder) => ['-I', folder]);
    const source = join(PACKAGE, 'ios/ThroughlineAds.mm');
    app.run(CLANG, ['-fsyntax-only', ...language, ...warnings, ...folders, source]);
  });

  // Without its attributes for Objective-C, which Linux’s compiler refuses.
  it('sets what Apple takes on the stubs of its frameworks, in Swift 5 and 6', {
    skip: without(SWIFTC),
  }, () => {
    const objects = ['UIKit', 'StoreKit', 'AdServices', 'AdAttributionKit'].map((name) => {
      const object = join(out, `${name}.o`);
      const module = ['-module-name', name, '-emit-module-path', join(out, `${name}.swiftmodule`)];
      const options = ['-c', '-wmo', '-parse-as-library', '-I', out, '-o', object];
      app.run(SWIFTC, [...options, ...module, ...globSync(join(APPLE, name, '*.swift'))]);
      return object;
    });
    const sources = globSync(join(PACKAGE, 'ios/*.swift')).map((path) => {
      const copy = join(out, basename(path));
      writeFileSync(copy, readFileSync(path, 'utf8').replaceAll(/@objc(\(\w+\))?\s/g, ''));
      return copy;
    });
    assert.equal(sources.length, 2);
    const program = join(out, 'ads');
    for (const version of ['5', '6']) {
      const options = ['-swift-version', version, '-warnings-as-errors', '-I', out, '-o', program];
      app.run(SWIFTC, [...options, ...sources, join(STUBS, 'swift/main.swift'), ...objects]);
      assert.deepEqual(app.run(program, []).trim().split('\n'), [
        ...['SKAdNetwork 0', 'AdAttributionKit 0 nil false install'],
        ...['SKAdNetwork 63 high true', 'AdAttributionKit 63 high true install'],
      ]);
    }
  });
});

function headerOf(generated: string): string {
  return join(generated, `${LIBRARY}/${LIBRARY}.h`);
}

function interfaceOf(out: string): string {
  return join(out, 'android/java/dev/throughline/reactnative/NativeThroughlineAdsSpec.java');
}
