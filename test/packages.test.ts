/** What npm would publish of each package: its files, its imports and types in a new folder, and the code of its page. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type PackedPackage, PackedPackages } from './helpers/packed-packages.ts';
import { modulesOfPages } from './helpers/page-code.ts';
import { useWorld } from './helpers/world.ts';

const EVERY = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
/** Of all packages but the conformance kit and the MCP server, which are programs. */
const BUILT = /^dist\/(cjs|esm)\/(package\.json|[\w./-]+\.(js|d\.ts))$/;
/** Beyond those. */
const ALSO: Readonly<Record<string, readonly RegExp[]>> = {
  'packages/conformance': [
    /^dist\/[\w-]+(\/[\w-]+)*\.js$/,
    /^bin\/conformance\.js$/,
    /^scenarios\/[\w-]+\.json$/,
    /^scenario\.schema\.json$/,
  ],
  'packages/mcp': [/^dist\/main\.js$/, /^dist\/LICENSES\.txt$/, /^bin\/mcp\.js$/],
  'packages/react-native': [/^app\.plugin\.js$/],
  'packages/react-native-ads': [
    // React Native's generator reads the source.
    /^src\/([\w-]+\.ts|package\.json)$/,
    /^(ios|android)\/[\w./-]+\.(swift|mm|h|kt|gradle|xml|pro)$/,
    /^[\w-]+\.podspec$/,
  ],
  'packages/capacitor': [
    /^android\/(build\.gradle|(src|clients)\/[\w./-]+\.(java|kt|xml|pro))$/,
    /^ios\/(Sources|Clients)\/[\w./-]+\.(swift|xcprivacy)$/,
    /^Package\.swift$/,
  ],
  'packages/web': [/^dist\/web\.js(\.gz|\.br)?$/],
};

/** Imported only by an app with React Native itself, as `npm run test:react-native` has it. */
const NATIVE = ['packages/react-native-ads'];

describe('packages', { concurrency: true }, () => {
  const world = useWorld('sqlite');
  const packages = new PackedPackages();
  let packed: readonly PackedPackage[] = [];
  before(async () => {
    packed = await packages.pack();
  });
  after(() => packages.remove());

  it('have what they need, and no test, source or file of an earlier build', () => {
    for (const { folder, files } of packed) {
      const also = ALSO[folder] ?? [];
      assert.deepEqual(
        EVERY.filter((file) => !files.includes(file)),
        [],
        folder,
      );
      const absent = also.filter((form) => !files.some((file) => form.test(file)));
      assert.deepEqual(absent, [], `${folder}: named in files of package.json?`);
      const odd = files.filter(
        (file) =>
          !EVERY.includes(file) &&
          !(BUILT.test(file) && isBuiltFromSource(folder, file)) &&
          !also.some((form) => form.test(file)),
      );
      assert.deepEqual(
        odd,
        [],
        `${folder}: not meant to be published, or built before: rm -r ${folder}/dist && npm run build -w ${folder}`,
      );
    }
  });

  it('have the files that their package.json names', () => {
    for (const { folder, manifest, files } of packed) {
      const { main, module, types, exports, bin } = manifest;
      const named = pathsIn([main, module, types, exports, bin]);
      assert.ok(named.length > 0, folder);
      assert.deepEqual(
        named.filter((path) => !files.includes(path.replace('./', ''))),
        [],
        folder,
      );
    }
  });

  it('say where their source is, as npm’s proof of origin needs it, and the release publishes each after its dependencies', () => {
    const release = readFileSync('.github/workflows/release.yml', 'utf8');
    const [, order = ''] = /for package in ([\w -]+); do/.exec(release) ?? [];
    assert.deepEqual(
      order.split(' ').sort(),
      packed.map(({ folder }) => folder.replace('packages/', '')).sort(),
    );
    for (const { folder, manifest } of packed) {
      const url = 'git+https://github.com/throughline/throughline.git';
      assert.deepEqual(manifest.repository, { type: 'git', url, directory: folder });
      assert.deepEqual(manifest.publishConfig, { access: 'public' }, folder);
      assert.ok((manifest.scripts as Record<string, string>).prepack?.includes('build'), folder);
    }
    assert.match(order, /^core /);
  });

  it('are imported and required in a new folder, with the same names', async () => {
    const entries = packed.filter(({ folder }) => !NATIVE.includes(folder)).flatMap(entriesOf);
    packages.write('use.mjs', IMPORT_ALL);
    const printed = JSON.parse(await packages.node('use.mjs', JSON.stringify(entries)));
    for (const [entry, { imported, required }] of Object.entries<Record<string, string[]>>(printed)) {
      assert.ok(imported?.length, entry);
      assert.deepEqual(imported, required, entry);
    }
    const kit = await packages.node('node_modules/@throughline/conformance/bin/conformance.js', '--list');
    assert.match(kit, /^install-answer-lost/m);
  });

  it('have an MCP server that needs no other package', async () => {
    const call = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
    const clientInfo = { name: 'test', version: '1' };
    const input = [
      call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'tools/list', {}),
    ];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['node_modules/@throughline/mcp/bin/mcp.js'],
      {
        ...{ cwd: packages.dir, encoding: 'utf8' },
        env: { THROUGHLINE_URL: 'https://links.test', THROUGHLINE_KEY: 'svc_test_1' },
        input: input.map((message) => `${JSON.stringify(message)}\n`).join(''),
      },
    );
    assert.deepEqual([status, stderr], [0, '']);
    const [hello, list] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).result);
    assert.equal(hello.serverInfo.name, 'throughline');
    assert.ok(list.tools.length > 20);
  });

  it('have types for import and for require', async () => {
    const entries = packed.flatMap(entriesOf);
    const text = entries.map((entry, n) => `import * as it${n} from '${entry}';\nvoid it${n};\n`).join('');
    for (const kind of ['mts', 'cts']) packages.write(`types/use.${kind}`, text);
    assert.deepEqual(await packages.typeErrors('types', { module: 'nodenext', types: [] }), []);
  });

  it('have pages whose code runs: a server makes a link, and the app that it opens knows it', async () => {
    const app = await world.newApp();
    await world.admin('PATCH', `/apps/${app.id}`, { appLinks: { enabled: true } });
    const { api, db, clickLog } = world.service;
    const baseUrl = await api.listen({ host: '127.0.0.1', port: 0 });
    const runPage = (folder: string, given: string, last: string) => {
      const [first] = modulesOfPages(basename(folder));
      const code = `${given}\n${first?.text}\n${last}`
        .replaceAll(/https:\/\/(go|links)\.example\.com/g, baseUrl)
        .replaceAll('svc_live_pub_…', app.keys.live_publishable)
        .replaceAll('process.env.THROUGHLINE_KEY', `'${app.keys.live}'`);
      packages.write(`run/${folder}.mts`, code);
      return packages.node(`run/${folder}.mts`);
    };
    const [shortUrl = '', svg] = (await runPage('packages/server', '', '')).split('\n');
    assert.match(String(svg), /^<svg/);
    await world.tap(shortUrl.split('/').at(-1) ?? '');
    await clickLog.applied();
    const { id } = await db.selectFrom('clicks').select('id').executeTakeFirstOrThrow();
    const opened = APP_OPENED_BY.replace('URL', `shop://shoes/42?svc_click_id=${id}`);
    const printed = await runPage(
      'packages/core',
      opened,
      'await throughline.flush(); throughline.shutdown();',
    );
    assert.deepEqual(printed, '/shoes/42 {}\n');
    const [open] = await db.selectFrom('opens').select(['click_id', 'campaign_id']).execute();
    assert.deepEqual(open, { click_id: id, campaign_id: 'spring' });
    const events = await db.selectFrom('events').select('event_name').execute();
    assert.deepEqual(events.map((each) => each.event_name).sort(), ['boarded', 'purchase']);
  });

  it('have pages whose code has no type error', async () => {
    for (const { folder } of packed) {
      for (const { name, text } of modulesOfPages(basename(folder)))
        packages.write(`pages/${folder}/${name}`, text);
      const given = `test/fixtures/pages/${basename(folder)}.d.ts`;
      if (existsSync(given)) packages.write(`pages/${folder}/given.d.ts`, readFileSync(given, 'utf8'));
    }
    const options = { module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx', types: ['node'] };
    assert.deepEqual(await packages.typeErrors('pages', { ...options, moduleDetection: 'force' }), []);
  });
});

/** A file that an earlier build left has no source. */
function isBuiltFromSource(folder: string, file: string): boolean {
  const [, path = ''] = /^dist\/(?:cjs|esm)\/(.*?)(?:\.d\.ts|\.js)$/.exec(file) ?? [];
  const sources = ['.ts', '.tsx'].map((extension) => `${folder}/src/${path}${extension}`);
  return (
    file.endsWith('/package.json') ||
    (!path.endsWith('.test') && sources.some((source) => existsSync(source)))
  );
}

function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

/** What code imports of a package. */
function entriesOf({ name, manifest }: PackedPackage): string[] {
  const entries = Object.keys(manifest.exports ?? {}).filter((entry) => !/\.js(on)?$/.test(entry));
  return entries.map((entry) => entry.replace('.', name));
}

/** What the page of core leaves to the host. */
const APP_OPENED_BY = `
const kept = new Map();
Object.assign(globalThis, {
  storage: {
    getItem: async (name) => kept.get(name) ?? null,
    setItem: async (name, value) => void kept.set(name, value),
    removeItem: async (name) => void kept.delete(name),
  },
  device: async () => ({ platform: 'ANDROID' }),
  links: { initial: async () => 'URL', subscribe: () => () => undefined },
  navigate: (path, params) => console.log(path, params),
  router: { push: () => undefined, replace: () => undefined },
});
`;

const IMPORT_ALL = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const names = (it) => Object.keys(it).filter((name) => !/^(default|module.exports|__esModule)$/.test(name)).sort();
const found = {};
for (const entry of JSON.parse(process.argv[2]))
  found[entry] = { imported: names(await import(entry)), required: names(require(entry)) };
console.log(JSON.stringify(found));
`;
