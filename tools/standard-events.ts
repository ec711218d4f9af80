/** Makes the helpers of standard events in each language, their page and the service's names from one table. */
import { readFileSync } from 'node:fs';
import { kotlin, swift, typescript } from './standard-events/languages.ts';
import { page } from './standard-events/page.ts';
import { serviceNames } from './standard-events/service.ts';
import type { Table } from './standard-events/table.ts';

const TABLE = 'packages/core/standard-events.json';

/** @returns the text of each file by its path. */
export function generateStandardEvents(): Record<string, string> {
  const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Table;
  return {
    'packages/core/src/standard-events.ts': typescript(table),
    'clients/kotlin/src/StandardEvent.kt': kotlin(table),
    'clients/swift/Sources/Throughline/StandardEvent.swift': swift(table),
    'docs/guide/standard-events.md': page(table),
    'src/webhooks/destinations/standard-event-names.ts': serviceNames(table),
  };
}
