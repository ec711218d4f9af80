import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsText, guessOf, missingOf, withField } from './mapping.ts';

const COLUMNS = [
  { name: 'Link', field: 'shortUrl' },
  { name: 'Short', field: 'shortUrl' },
  { name: 'Ziel', field: null },
  { name: 'Title', field: 'title' },
];
const REQUIRED = [
  ['shortUrl', 'path'],
  ['fallbackUrl', 'deepLinkPath'],
] as const;

describe('columns of a table', () => {
  it('are guessed once for each field, and say what is missing', () => {
    const guess = guessOf(COLUMNS);
    assert.deepEqual(guess, ['shortUrl', null, null, 'title']);
    assert.deepEqual(missingOf(guess, REQUIRED), [['fallbackUrl', 'deepLinkPath']]);
    assert.deepEqual(missingOf(withField(guess, 2, 'deepLinkPath'), REQUIRED), []);
  });

  it('have a field once: another column that gets it takes it', () => {
    const moved = withField(guessOf(COLUMNS), 1, 'shortUrl');
    assert.deepEqual(moved, [null, 'shortUrl', null, 'title']);
    assert.deepEqual(withField(moved, 3, null), [null, 'shortUrl', null, null]);
  });

  it('are sent once they differ from the guess, and only those that are read', () => {
    const guess = guessOf(COLUMNS);
    assert.equal(columnsText(guess, COLUMNS, false), null);
    assert.equal(columnsText(guess, COLUMNS, true), '{"shortUrl":"Link","title":"Title"}');
    assert.equal(
      columnsText(withField(withField(guess, 2, 'title'), 2, null), COLUMNS, false),
      '{"shortUrl":"Link"}',
    );
    assert.equal(
      columnsText(withField(guess, 2, 'fallbackUrl'), COLUMNS, false),
      '{"shortUrl":"Link","fallbackUrl":"Ziel","title":"Title"}',
    );
  });
});
