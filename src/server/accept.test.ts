import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preferredType } from './accept.ts';

const OFFERED = ['application/json', 'text/csv', 'application/x-ndjson'] as const;

/** Values of `Accept` and the type of the response. */
const CHOICES: readonly (readonly [string | undefined, (typeof OFFERED)[number]])[] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
  ['image/png', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV ; charset=utf-8', 'text/csv'],
  ['text/*', 'text/csv'],
  ['text/csv, */*', 'text/csv'],
  ['*/*, text/csv', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['application/json, text/csv', 'application/json'],
  ['application/json, text/csv;q=0.5', 'application/json'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['application/json;q=0.2, text/csv;q=0.3, application/x-ndjson; q = 0.4', 'application/x-ndjson'],
  ['text/csv;q=0', 'application/json'],
  ['text/csv;q=0, */*;q=0.1', 'application/json'],
  ['application/json;q=0, */*', 'text/csv'],
  ['text/csv;q=many, application/json;q=0.1', 'application/json'],
];

describe('preferredType', () => {
  for (const [accept, type] of CHOICES)
    it(`Accept ${accept === undefined ? 'missing' : `“${accept}”`} gets ${type}`, () =>
      assert.equal(preferredType(accept, OFFERED), type));
});
