import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { IMPORT_SOURCES } from '../imported-row.ts';
import { nameKey } from '../source.ts';
import { SOURCES } from './index.ts';

const text = readFileSync(new URL('../../../../docs/import.md', import.meta.url), 'utf8');
const HEADINGS = { csv: 'Any other service', firebase: 'Firebase' } as const;
/** Names that protect a link of any source, and are in the first section. */
const EVERYWHERE = ['password', 'expiresAt', 'deleted', 'error', 'type', 'validUntil', 'maxVisits', 'clicks'];

describe('docs/import.md', () => {
  for (const source of IMPORT_SOURCES)
    it(`names a column for each field of ${source}`, () => {
      const { name, fields } = SOURCES[source];
      const heading = source === 'csv' || source === 'firebase' ? HEADINGS[source] : name;
      const section = text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
      const words = new Set([...section.matchAll(/[\w. ?$~]+/g)].map(([word]) => nameKey(word)));
      const missing = Object.entries(fields)
        .filter(
          ([field, names]) =>
            !EVERYWHERE.includes(field) &&
            ![field, ...names].some((one) => words.has(nameKey(one)) || section.includes(one)),
        )
        .map(([field]) => field);
      assert.deepEqual(missing, []);
    });

  it('names every column of a plain table', () => {
    const names = Object.values(SOURCES.csv.fields).flat().map(nameKey);
    const section = text.slice(text.indexOf(`## ${HEADINGS.csv}`));
    const known = new Set([...section.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => nameKey(name)));
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    );
  });
});
