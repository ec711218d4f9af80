import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deriveSecrets } from './secrets.ts';

describe('marks of identifiers', () => {
  const { markId } = deriveSecrets('0123456789abcdef0123456789abcdef');

  it('tell IDs of any length and script apart', () => {
    const app = '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e';
    // The last ones differ in the upper byte of a character only.
    const ids = [
      'a',
      'x'.repeat(219),
      'x'.repeat(255),
      `${'x'.repeat(254)}y`,
      'ü'.repeat(255),
      'ā',
      'ȁ',
      '\u0001',
    ];
    const marks = ids.map((id) => markId(app, `transaction ${id}`));
    assert.equal(new Set(marks).size, ids.length);
    assert.deepEqual(
      marks,
      ids.map((id) => markId(app, `transaction ${id}`)),
    );
  });
});
