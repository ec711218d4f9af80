import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FULL_RECORD, SPARSE_RECORD } from '../../../test/fixtures/forwarded-records.ts';
import { isRecordPath, RECORD_PATHS, readPath } from './record-path.ts';

describe('paths of a record', () => {
  it('name everything that a record has, and nothing else', () => {
    assert.deepEqual(
      pathsOf(FULL_RECORD).filter((path) => !isRecordPath(path)),
      [],
    );
    assert.deepEqual(
      RECORD_PATHS.filter((path) => readPath(FULL_RECORD, path) === null),
      [],
    );
  });

  it('are all in the documents', () => {
    const page = readFileSync('docs/guide/http-destinations.md', 'utf8');
    const names = [...page.matchAll(/`([^`\s]+)`/g)].map(([, name]) => name);
    assert.deepEqual(
      RECORD_PATHS.filter((path) => !names.includes(path)),
      [],
    );
  });

  it('lead to null where the record has nothing', () => {
    for (const path of [
      'userId',
      'revenue.amount',
      'revenue.amountAsNumber',
      'network.name',
      'properties.plan',
    ])
      assert.equal(readPath(SPARSE_RECORD, path), null, path);
  });

  it('lead to times and amounts in the units that receivers take', () => {
    assert.equal(readPath(FULL_RECORD, 'occurredAtMs'), 1_795_169_671_500);
    assert.equal(readPath(FULL_RECORD, 'occurredAtSeconds'), 1_795_169_671);
    assert.equal(readPath(FULL_RECORD, 'revenue.amount'), '19.99');
    assert.equal(readPath(FULL_RECORD, 'revenue.amountAsNumber'), 19.99);
  });

  it('lead into nested properties, and to names that contain dots', () => {
    const record = { ...SPARSE_RECORD, properties: { 'a.b': 1, a: { b: 2, c: [{ d: 3 }] } } };
    assert.equal(readPath(record, 'properties.a.b'), 1);
    assert.equal(readPath(record, 'properties.a.c.0.d'), 3);
  });

  it('never lead to what properties inherit', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'length', 'constructor.name'])
      assert.equal(readPath(SPARSE_RECORD, `properties.${name}`), null, name);
    for (const path of ['constructor', '__proto__', 'properties', 'recor', 'properties.', ''])
      assert.equal(isRecordPath(path), path === 'properties', path);
  });
});

function pathsOf(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    return typeof child === 'object' && child !== null ? [path, ...pathsOf(child, `${path}.`)] : [path];
  });
}
