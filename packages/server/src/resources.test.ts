import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createThroughlineClient } from './index.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly Record<string, unknown>[];
}

/** Takes the key in its body. */
const KEY_IN_BODY = 'debugAttribution';
/** A stream, which the generated client would open again after any refusal. */
const LEFT_OUT = ['streamRecords'];
const SOURCE = readFileSync(`${import.meta.dirname}/resources.ts`, 'utf8');

describe('the operations of the client', () => {
  const { paths } = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const withKey = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(
      ({ operationId, security = [] }) =>
        operationId === KEY_IN_BODY || security.some((scheme) => 'apiKey' in scheme),
    );

  it('are all that a key opens', () => {
    assert.ok(withKey.length > 40, `${withKey.length}`);
    assert.deepEqual(
      [...SOURCE.matchAll(/\bapi\.(\w+)/g)].map(([, name = '']) => name).sort(),
      withKey
        .map(({ operationId }) => operationId)
        .filter((name) => !LEFT_OUT.includes(name))
        .sort(),
    );
  });

  it('have the summaries of the API, except those of pages', () => {
    const documented = [...SOURCE.matchAll(/\/\*\* (.*) \*\/\n +\w+: \w+\(api\.(\w+)/g)];
    const pages = [...SOURCE.matchAll(/pagesBy\w+\(call\(api\.(\w+)/g)];
    assert.equal(documented.length + pages.length, withKey.length - LEFT_OUT.length);
    for (const [, text, name] of documented)
      assert.equal(text, withKey.find(({ operationId }) => operationId === name)?.summary);
  });

  it('are all in the table of the README', () => {
    const readme = readFileSync(`${import.meta.dirname}/../README.md`, 'utf8');
    const rows = [...readme.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$/gm)];
    const named = (text = '') => [...text.matchAll(/`(?:\w+\.)?(\w+)/g)].map(([, name]) => name);
    const client = createThroughlineClient({ baseUrl: 'https://links.example.com', key: 'key' });
    for (const [noun, methods] of Object.entries(client)) {
      const row = rows.find(([, nouns]) => named(nouns).includes(noun));
      const { deliveries, ...own } = methods as Record<string, unknown>;
      const missing = [...Object.keys(own), ...Object.keys(deliveries ?? {})].filter(
        (name) => !named(row?.[2]).includes(name),
      );
      assert.deepEqual(missing, [], noun);
    }
  });
});
