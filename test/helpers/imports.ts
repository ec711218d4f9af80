/** Imports of files in a test's own service. */
import assert from 'node:assert/strict';
import { parse } from 'csv-parse/sync';
import { waitFor } from './wait-for.ts';
import type { Answer, World } from './world.ts';

export interface ImportCall {
  readonly key: string;
  readonly query?: string;
  readonly type?: string;
}

export function startImport(
  world: World,
  text: string | Buffer,
  { key, query = 'source=csv', type = 'text/csv' }: ImportCall,
) {
  return world.call('POST', `/v1/imports?${query}`, {
    key,
    rawBody: text,
    headers: { 'content-type': type },
  });
}

/** The import as it is at its end. */
export async function importFile(
  world: World,
  text: string | Buffer,
  call: ImportCall,
): Promise<Answer['body']> {
  const started = await startImport(world, text, call);
  assert.equal(started.status, 202, started.text);
  return await endOf(world, call.key, started.body.id);
}

export async function endOf(world: World, key: string, id: string): Promise<Answer['body']> {
  return await waitFor('the end of an import', async () => {
    const { body } = await world.call('GET', `/v1/imports/${id}`, { key });
    return body.status === 'running' ? undefined : body;
  });
}

/** Its report, by the names of the columns. */
export async function reportOf(
  world: World,
  key: string,
  id: string,
  name = 'rows',
): Promise<Record<string, string>[]> {
  const { status, text } = await world.call('GET', `/v1/imports/${id}/${name}`, { key });
  assert.equal(status, 200, text);
  return parse(text, { columns: true });
}

export function tableOf(header: string, ...rows: string[]): string {
  return `${[header, ...rows].join('\n')}\n`;
}
