import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AppRow } from './app.ts';
import { makeAssociationFiles } from './association-files.ts';

const fingerprint = (pair: string) => Array.from({ length: 32 }, () => pair).join(':');

interface Settings {
  readonly ios?: readonly [team: string | null, bundle: string | null];
  readonly android?: readonly [name: string | null, ...fingerprints: string[]];
}

function appWith({
  ios: [team, bundle] = [null, null],
  android: [name, ...prints] = [null],
}: Settings): AppRow {
  return {
    ios_team_id: team,
    ios_bundle_id: bundle,
    android_package: name,
    android_cert_fingerprints: JSON.stringify(prints),
  } as AppRow;
}

function filesOf(
  settings: readonly Settings[],
  links: Partial<Parameters<typeof makeAssociationFiles>[1]> = {},
) {
  const host = { basePath: '', hasPaths: false, hasLongLinks: false, ...links };
  const { apple, android } = makeAssociationFiles(settings.map(appWith), host);
  return { apple: JSON.parse(apple.toString()), android: JSON.parse(android.toString()) };
}

const details = (...appIDs: string[]) => ({
  applinks: { details: [{ appIDs, components: [{ '/': '/l/*', comment: 'Short links' }] }] },
});
const statement = (name: string, ...fingerprints: string[]) => ({
  relation: ['delegate_permission/common.handle_all_urls'],
  target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: fingerprints },
});

describe('association files', () => {
  it('contain no app whose settings are incomplete', () => {
    const incomplete: Settings[] = [
      {},
      { ios: ['A1B2C3D4E5', null] },
      { ios: [null, 'com.example.shop'] },
      { android: ['com.example.shop'] },
      { android: [null, fingerprint('AB')] },
    ];
    for (const settings of [[], incomplete])
      assert.deepEqual(filesOf(settings), { apple: { applinks: { details: [] } }, android: [] });
  });

  it('contain every app once, in an order that does not depend on its creation', () => {
    const shop: Settings = {
      ios: ['A1B2C3D4E5', 'com.example.shop'],
      android: ['com.example.shop', fingerprint('AB')],
    };
    const apps: Settings[] = [
      { ios: ['MMMMM', 'a'], android: ['m', fingerprint('AB')] },
      { ios: ['ZZZZZ', 'b'], android: ['z', fingerprint('AB')] },
      shop,
      shop,
    ];
    for (const settings of [apps, apps.toReversed()])
      assert.deepEqual(filesOf(settings), {
        apple: details('A1B2C3D4E5.com.example.shop', 'MMMMM.a', 'ZZZZZ.b'),
        android: [
          statement('com.example.shop', fingerprint('AB')),
          statement('m', fingerprint('AB')),
          statement('z', fingerprint('AB')),
        ],
      });
  });

  it('contain one entry for a package, with the fingerprints of all its apps', () => {
    const { android } = filesOf([
      { android: ['com.example.shop', fingerprint('EF'), fingerprint('AB')] },
      { android: ['com.example.shop', fingerprint('AB'), fingerprint('0C')] },
    ]);
    const expected = [fingerprint('0C'), fingerprint('AB'), fingerprint('EF')];
    assert.deepEqual(android, [statement('com.example.shop', ...expected)]);
  });

  it('claim short links alone, below the base path where there is one', () => {
    const { apple } = filesOf([{ ios: ['A1B2C3D4E5', 'com.example.shop'] }], { basePath: '/go' });
    const [{ components }] = apple.applinks.details;
    assert.deepEqual(
      components.map((component: Record<string, string>) => component['/']),
      ['/go/l/*'],
    );
  });

  const SHOP: Settings = {
    ios: ['A1B2C3D4E5', 'com.example.shop'],
    android: ['com.example.shop', fingerprint('AB')],
  };
  /** Whether the app opens an address: the first component that matches decides, none matches none. */
  const opens = (
    components: readonly Record<string, unknown>[],
    path: string,
    query: Record<string, string>,
  ) => {
    const matches = (pattern: string, text: string) =>
      new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/\?/g, '.').replace(/\*/g, '.*')}$`).test(text);
    const found = components.find(
      (component) =>
        matches(String(component['/']), path) &&
        Object.entries((component['?'] ?? {}) as Record<string, string>).every(([name, value]) =>
          matches(value, query[name] ?? ''),
        ),
    );
    return found !== undefined && found.exclude !== true;
  };

  for (const basePath of ['', '/go'])
    it(`at an app’s own host claim every path but those of the service, below “${basePath}”`, () => {
      for (const hasLongLinks of [true, false]) {
        const { apple, android } = filesOf([SHOP], { basePath, hasPaths: true, hasLongLinks });
        const [extension] = Object.values(android[0].relation_extensions) as {
          dynamic_app_link_components: Record<string, unknown>[];
        }[];
        for (const components of [
          apple.applinks.details[0].components,
          extension?.dynamic_app_link_components ?? [],
        ]) {
          for (const path of ['/summer/sale', '/l/hello', '/l/hello/more', '/a', '/docs2', '/v1x/a', '/V1/a'])
            assert.ok(opens(components, basePath + path, {}), path);
          for (const path of [
            '/',
            '/v1/links',
            '/console',
            '/console/links',
            '/_x',
            '/_',
            '/.well-known/x',
            '/robots.txt',
          ])
            assert.ok(!opens(components, basePath + path, {}), path);
          const long = { link: 'https://www.example.com/' };
          assert.equal(opens(components, `${basePath}/`, long), hasLongLinks);
          assert.ok(!opens(components, `${basePath}/`, { link: '' }));
        }
      }
    });

  it('elsewhere leave the paths of an Android app to its manifest', () => {
    assert.ok(!('relation_extensions' in filesOf([SHOP]).android[0]));
  });
});
