/** Arguments that several tools have. The API checks them again, so that its rules are not repeated here. */
import type { ThroughlineClient } from '@throughline/server';
import * as z from 'zod';
import type { Page } from './tool.ts';

const MAX_PAGE = 50;

export const limit = z.int().min(1).max(MAX_PAGE).default(20).describe('Items of a page');
export const shortCode = z
  .string()
  .min(1)
  .max(2_300)
  .describe('The code or path of the link, as find_links shows it, or its whole short URL');
export const id = z.string().min(1).max(255);
export const day = z.iso.date().describe('A day such as 2026-01-31');
export const sandbox = z
  .boolean()
  .describe('true: records of debug builds and test keys alone. Default: false, and true for a test key');
export const confirm = z
  .boolean()
  .default(false)
  .describe(
    'false: answers what would happen and changes nothing. Set true only after a person has agreed to that',
  );

/** The API's query has texts. */
export function flag(value: boolean | undefined): 'true' | 'false' | undefined {
  return value === undefined ? undefined : value ? 'true' : 'false';
}

/** A page of records, of which the next one has those before the last. */
export function recordPage(records: readonly { readonly id: string }[], pageLimit: number): Page {
  return { limit: pageLimit, next: (kept) => ({ before: records[kept - 1]?.id }) };
}

/** Without the fields that the caller left out. */
export function given<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** The code of a link that is named by its code, its path or its whole short URL. */
export async function codeOf(client: ThroughlineClient, name: string, signal: AbortSignal): Promise<string> {
  const url = /^https?:/i.test(name) ? URL.parse(name) : null;
  if (url === null) return name;
  const found = await client.links.list({ q: name, limit: MAX_PAGE }, { signal });
  // The search also finds links that only mention the address.
  const link = found.find(({ shortUrl }) => shortUrl === url.origin + url.pathname);
  if (link === undefined)
    throw new Error(`No link has the address ${name}. Look for it with find_links, and take its shortCode.`);
  return link.shortCode;
}
