/** One version for the service, its packages and its clients. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { changelogs, newestEntry, statedVersions } from '../tools/set-version.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** The name that each client sends in `sdkVersion`. */
const CLIENTS = {
  'packages/core': 'throughline-core',
  'packages/react-native': 'throughline-react-native',
  'packages/capacitor': 'throughline-capacitor',
  'clients/kotlin': 'throughline-kotlin',
  'clients/android': 'throughline-android',
  'clients/swift': 'throughline-swift',
};

describe('versions', () => {
  it('are the same everywhere', () => {
    const stated = statedVersions();
    assert.ok(stated.length > 20, `only ${stated.length} are found`);
    assert.deepEqual(
      stated.filter((one) => one.version !== version),
      [],
    );
  });

  for (const [client, name] of Object.entries(CLIENTS))
    it(`${client} sends its own name, ${name}, and the version`, () => {
      const sources = globSync(`${client}/{src,Sources}/**/*.{ts,kt,swift}`).map((file) =>
        readFileSync(file, 'utf8'),
      );
      const sent = [...sources.join('\n').matchAll(new RegExp(`['"\`]${name}/([^'"\`]+)['"\`]`, 'g'))];
      const odd = sent.filter(([, text]) => text !== version);
      assert.deepEqual([sent.length > 0, odd], [true, []]);
    });

  for (const folder of globSync(['README.md', 'packages/*/package.json', 'clients/*/README.md']).map((file) =>
    join(file, '..'),
  ))
    it(`the newest entry in the changelog of ${folder} is the version`, () => {
      const entry = newestEntry(readFileSync(`${folder}/CHANGELOG.md`, 'utf8'));
      assert.equal(
        entry?.version,
        version,
        'The form is: # Changelog, then ## 1.2.3 (unreleased), then a list',
      );
    });

  it('are set in one step, and released versions keep their entry', (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'throughline-version-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const files = new Set(['package.json', 'package-lock.json', ...statedVersions().map(({ file }) => file)]);
    for (const file of [...files, ...changelogs()]) cpSync(file, join(dir, file));
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [resolve('tools/set-version.ts'), ...args], { cwd: dir }).status;
    const headings = () => readFileSync(join(dir, 'packages/core/CHANGELOG.md'), 'utf8').match(/^## .*/gm);
    assert.equal(run('7.8'), 1);
    assert.equal(run('7.8.9', 'today'), 1);
    assert.equal(run('7.8.9', '2026-12-31'), 0);
    assert.equal(run('7.9.0-beta.1'), 0);
    assert.deepEqual(headings()?.slice(0, 2), ['## 7.9.0-beta.1 (unreleased)', '## 7.8.9 (2026-12-31)']);
    const now = statedVersions(dir);
    assert.deepEqual([...new Set(now.map((one) => one.version))], ['7.9.0-beta.1']);
    assert.equal(now.length, statedVersions().length);
    const lock = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8'));
    assert.equal(lock.packages['packages/react-native'].dependencies['@throughline/core'], '7.9.0-beta.1');
    assert.equal(lock.packages['packages/mcp'].devDependencies['@throughline/server'], '7.9.0-beta.1');
    const others = (file: string) => Object.values(JSON.parse(readFileSync(file, 'utf8')).packages).length;
    assert.equal(others(join(dir, 'package-lock.json')), others('package-lock.json'));
  });
});
