/** The packages in a React Native app without Expo: its own tests, types, bundles and bytecode. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { modulesOfPages } from '../helpers/page-code.ts';
import { PackedApp } from './packed-app.ts';

const app = new PackedApp('packages/react-native/bare-app');
const HERMES = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' } as Record<string, string>;

/** What only the code of each optional module says. */
const INSTALLED = {
  '@react-native-async-storage/async-storage': /\("RNC?AsyncStorage"\)/,
  '@throughline/react-native-ads': /\.get\(["']ThroughlineAds["']\)/,
  'react-native-device-info': /NativeModules\.RNDeviceInfo/,
  'react-native-play-install-referrer': /PlayInstallReferrer\.getInstallReferrerInfo = function/,
};

/** The app has none. */
const EXPO_ROUTER = `declare module 'expo-router' {
  export const router: { push(href: string): void; replace(href: string): void };
}`;

describe('a React Native app with the packed packages', () => {
  const out = mkdtempSync(join(tmpdir(), 'throughline-bundles-'));
  before(() => app.install());
  after(() => rmSync(out, { recursive: true }));

  it('passes its tests on both systems, with the packages as they are', () => {
    app.node('jest/bin/jest.js', ['--runInBand']);
  });

  it('agrees with the types of React Native and React Navigation', () => {
    app.run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '--noEmit', '-p', '.']);
  });

  it('agrees with the code of the documents', () => {
    const folder = join(app.dir, 'documents');
    mkdirSync(folder, { recursive: true });
    try {
      const modules = modulesOfPages('react-native');
      assert.equal(modules.length, 8);
      for (const { name, text } of modules) writeFileSync(join(folder, name), text);
      writeFileSync(join(folder, 'expo-router.d.ts'), EXPO_ROUTER);
      const config = { extends: '../tsconfig.json', include: ['.'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      app.run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '--noEmit', '-p', 'documents']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const platform of ['ios', 'android'])
    it(`is bundled for ${platform} with every optional module that it has, and compiles for Hermes`, () => {
      const bundle = join(out, `${platform}.js`);
      const options = ['--platform', platform, '--dev', 'false', '--minify', 'false', '--out', bundle];
      app.node('metro/src/cli.js', ['build', 'index.js', '--config', 'metro.config.js', ...options]);
      const text = readFileSync(bundle, 'utf8');
      const missing = Object.entries(INSTALLED).filter(([, sign]) => !sign.test(text));
      assert.deepEqual(missing, []);

      const compiler = join(
        'node_modules/hermes-compiler/hermesc',
        HERMES[process.platform] ?? '',
        'hermesc',
      );
      app.run(compiler, ['-emit-binary', '-O', '-w', '-out', `${bundle}.hbc`, bundle]);
      assert.ok(statSync(`${bundle}.hbc`).size > 100_000);
    });
});
