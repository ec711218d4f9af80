import { setTimeout as sleep } from 'node:timers/promises';
import type { ThroughlineClient } from '@throughline/server';
import * as z from 'zod';
import { given, id, limit, recordPage } from '../inputs.ts';
import { defineTool } from '../tool.ts';

const MAX_FILE_CHARACTERS = 500_000;
const POLL_MS = 200;
const MAX_WAIT_MS = 10_000;

export const IMPORT_TOOLS = [
  defineTool({
    name: 'check_import',
    title: 'Check an import of links',
    description:
      'Dry run of an import: what each row of another service’s export would become, and why rows fail. Stores no link. The import itself is for the console or the command line.',
    // The dry run leaves a report in the list of imports, and no link.
    effect: 'adds',
    input: {
      source: z
        .enum(['csv', 'firebase', 'branch', 'bitly', 'rebrandly', 'shortio', 'shlink'])
        .describe('The service whose export the file is; csv for any other table'),
      file: z.string().min(1).max(MAX_FILE_CHARACTERS).describe('The text of the file, or its first lines'),
      columns: z
        .record(z.string(), z.string())
        .optional()
        .describe('For csv: field to header, such as {"shortUrl":"Short","fallbackUrl":"Target"}'),
    },
    async run({ source, file, columns }, { client, signal }) {
      const query = { source, dryRun: 'true' as const, columns: columns && JSON.stringify(columns) };
      const started = await client.imports.start(file, given(query), { signal });
      const report = await whenEnded(client, started.id, signal);
      if (report.status === 'running')
        return { data: report, say: 'The dry run is still running: read it with read_import.' };
      const failures = report.failed > 0 ? await client.imports.failures(report.id, { signal }) : '';
      return { data: { report, failures } };
    },
  }),
  defineTool({
    name: 'list_imports',
    title: 'List imports',
    description: 'Imports of links and their dry runs of the last 30 days, newest first.',
    effect: 'reads',
    input: { limit, before: z.uuid().optional().describe('Of the page before') },
    async run(input, { client, signal }) {
      const imports = await client.imports.list(given(input), { signal });
      return { data: imports, page: recordPage(imports, input.limit) };
    },
  }),
  defineTool({
    name: 'read_import',
    title: 'Read an import',
    description: 'The progress of an import or dry run, and what became of its rows.',
    effect: 'reads',
    input: { id },
    async run(input, { client, signal }) {
      return { data: await client.imports.get(input.id, { signal }) };
    },
  }),
];

async function whenEnded(client: ThroughlineClient, importId: string, signal: AbortSignal) {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const report = await client.imports.get(importId, { signal });
    if (report.status !== 'running' || waitedMs >= MAX_WAIT_MS) return report;
    await sleep(POLL_MS, undefined, { signal });
  }
}
