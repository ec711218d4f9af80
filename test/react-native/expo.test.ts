/** The packages in the Expo example: native projects, introspection, autolinking and bundles. */
import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PackedApp } from './packed-app.ts';

const app = new PackedApp('examples/expo', { EXPO_OFFLINE: '1', EXPO_NO_TELEMETRY: '1' });
const DOMAIN = 'applinks:go.example.com';

/** What only the code of each optional module says. */
const INSTALLED = {
  '@react-native-async-storage/async-storage': /RNCAsyncStorage/,
  '@throughline/react-native-ads': /["']ThroughlineAds["']/,
  'expo-application': /["']ExpoApplication["']/,
  'expo-clipboard': /["']ExpoClipboard["']/,
  'expo-device': /["']ExpoDevice["']/,
  'expo-localization': /["']ExpoLocalization["']/,
  'react-native-play-install-referrer': /PlayInstallReferrer\.getInstallReferrerInfo = function/,
};

describe('the Expo example with the packed packages', () => {
  const out = mkdtempSync(join(tmpdir(), 'throughline-expo-'));
  const generated = ['ios', 'android', 'dist', '.expo'].map((folder) => join(app.dir, folder));
  const clean = () => {
    for (const folder of generated) rmSync(folder, { recursive: true, force: true });
  };
  before(() => {
    clean();
    app.install();
  });
  after(() => {
    clean();
    rmSync(out, { recursive: true });
  });

  it('has the link host in its native projects, once, however often they are generated', () => {
    const results = [1, 2].map(() => {
      app.node('expo/bin/cli', ['prebuild', '--no-install', '--no-clean', '--platform', 'all']);
      const [entitlements = ''] = globSync(join(app.dir, 'ios/*/*.entitlements'));
      const [project = ''] = globSync(join(app.dir, 'ios/*.xcodeproj/project.pbxproj'));
      return [entitlements, project, join(app.dir, 'android/app/src/main/AndroidManifest.xml')].map((file) =>
        readFileSync(file, 'utf8'),
      );
    });
    const [entitlements = '', project = '', manifest = ''] = results[0] ?? [];
    assert.match(
      entitlements,
      /<key>com\.apple\.developer\.associated-domains<\/key>\s*<array>\s*<string>applinks:go\.example\.com<\/string>\s*<\/array>/,
    );
    assert.match(project, /CODE_SIGN_ENTITLEMENTS/);
    const filters = manifest.match(/<intent-filter[^>]*autoVerify="true"[\s\S]*?<\/intent-filter>/g) ?? [];
    assert.equal(filters.length, 1);
    assert.match(
      filters[0] ?? '',
      /<data android:scheme="https" android:host="go\.example\.com" android:pathPrefix="\/l\/"\/>/,
    );
    assert.match(filters[0] ?? '', /android\.intent\.category\.BROWSABLE/);
    assert.deepEqual(results[1], results[0]);
  });

  it('has the link host in the configuration that Expo prints', () => {
    const config = JSON.parse(app.node('expo/bin/cli', ['config', '--type', 'introspect', '--json']));
    assert.deepEqual(config.ios.associatedDomains, [DOMAIN]);
    assert.deepEqual(config._internal.modResults.ios.entitlements['com.apple.developer.associated-domains'], [
      DOMAIN,
    ]);
  });

  it('names in Info.plist where iPhones send copies of postbacks', () => {
    const [plist = ''] = globSync(join(app.dir, 'ios/*/Info.plist')).map((file) =>
      readFileSync(file, 'utf8'),
    );
    for (const key of ['NSAdvertisingAttributionReportEndpoint', 'AttributionCopyEndpoint'])
      assert.match(plist, new RegExp(`<key>${key}</key>\\s*<string>https://example\\.com</string>`));
  });

  for (const [platform, ...signs] of [
    ['ios', /ThroughlineReactNativeAds\.podspec/],
    ['android', /dev\.throughline\.reactnative\.ThroughlineAdsPackage/, /PlayInstallReferrerPackage/],
  ] as const)
    it(`links the native modules by themselves on ${platform}`, () => {
      const autolinking = 'expo-modules-autolinking/bin/expo-modules-autolinking.js';
      const options = ['--platform', platform, '--json', 'node_modules'];
      const found = app.node(autolinking, ['react-native-config', ...options]);
      for (const sign of signs) assert.match(found, sign);
    });

  for (const platform of ['ios', 'android'])
    it(`is bundled for ${platform} with every optional module that it has`, () => {
      const folder = join(out, platform);
      const options = ['--platform', platform, '--no-bytecode', '--no-minify', '--output-dir', folder];
      app.node('expo/bin/cli', ['export', ...options]);
      const [bundle = ''] = globSync(join(folder, '_expo/static/js/*/*.js'));
      const text = readFileSync(bundle, 'utf8');
      assert.deepEqual(
        Object.entries(INSTALLED).filter(([, sign]) => !sign.test(text)),
        [],
      );
    });
});
