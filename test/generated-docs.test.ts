import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readConfig } from '../src/config.ts';
import { SETTINGS, type Setting } from '../src/settings.ts';
import { generateDocs } from '../tools/generate-docs.ts';

describe('generated documents', () => {
  for (const [path, text] of Object.entries(generateDocs()))
    it(`${path} is up to date`, () => {
      assert.equal(readFileSync(path, 'utf8'), text, `${path} is stale: run npm run docs`);
    });

  it('the API reference lists every operation of the OpenAPI document', () => {
    const { paths } = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
    const served = Object.entries<object>(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const headings = [...readFileSync('docs/reference/api.md', 'utf8').matchAll(/^### `(.*)`$/gm)];
    assert.deepEqual(
      headings.map(([, name]) => name).sort(),
      served.filter((name) => !name.startsWith('HEAD ')).sort(),
    );
  });
});

describe('the generated client', () => {
  it('is generated from the committed OpenAPI document', () => {
    const digest = createHash('sha256').update(readFileSync('docs/api/openapi.json')).digest('hex');
    const committed = readFileSync('packages/server/src/generated/openapi.sha256', 'utf8').trim();
    assert.equal(committed, digest, 'packages/server/src/generated is stale: run npm run generate:client');
  });
});

describe('the settings', () => {
  const example = readFileSync('.env.example', 'utf8');
  const settings: Readonly<Record<string, Setting>> = SETTINGS;

  it('the source reads exactly the declared settings', () => {
    const source = ['config.ts', 'bootstrap-settings.ts'].map((file) => readFileSync(`src/${file}`, 'utf8'));
    const read = [...source.join('\n').matchAll(/\btext\('([A-Z_]+)'\)/g)];
    assert.deepEqual([...new Set(read.map(([, name]) => name))].sort(), Object.keys(settings).sort());
  });

  it('the declared default is the effective default', () => {
    const defaults = Object.entries(settings).map(([name, setting]) => [name, setting.default]);
    assert.deepEqual(readConfig(Object.fromEntries(defaults)), readConfig({}));
  });

  it('.env.example lists exactly the settings, and sets none', () => {
    const named = [...example.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);
    assert.deepEqual(named.sort(), Object.keys(settings).sort());
    assert.doesNotMatch(example, /^[A-Z_]+=/m);
  });

  it('.env.example shows the defaults', () => {
    const env = [...example.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    assert.deepEqual(readConfig(Object.fromEntries(env)), readConfig({}));
  });
});
