/** Writes the helpers of standard events in each language, and their page, from one table: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { kotlin, swift, typescript } from './standard-events/languages.ts';
import { page } from './standard-events/page.ts';
import type { Table } from './standard-events/table.ts';

const TABLE = 'packages/core/standard-events.json';

/** @returns the files by their paths. */
export function generateStandardEvents(): Record<string, string> {
  const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Table;
  return {
    'packages/core/src/standard-events.ts': typescript(table),
    'clients/kotlin/src/StandardEvent.kt': kotlin(table),
    'clients/swift/Sources/Throughline/StandardEvent.swift': swift(table),
    'docs/guide/standard-events.md': page(table),
  };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(generateStandardEvents())) writeFileSync(path, text);
