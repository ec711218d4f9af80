/** Changes and deletions of links. */
import { type Link, type ThroughlineClient, ThroughlineError } from '@throughline/server';
import * as z from 'zod';
import { codeOf, confirm, given, shortCode } from '../inputs.ts';
import { defineTool } from '../tool.ts';
import { linkFields } from './link-fields.ts';

const NOTHING_YET =
  'Nothing was changed. Show this to a person, and call again with confirm: true once they agree.';
/** Fields that change nothing for who taps the link. */
const FOR_THE_TEAM: ReadonlySet<string> = new Set([
  ...['title', 'tags', 'campaignId', 'metadata'],
  ...['ogTitle', 'ogDescription', 'ogImage'],
]);
const shortCodes = z.array(shortCode).min(1).max(50);
const changes = z.strictObject(linkFields).describe('Only the fields to change; null clears one');

export const LINK_CHANGES = [
  defineTool({
    name: 'update_link',
    title: 'Change a link',
    description:
      'Changes fields of one link, and answers the link and what those fields were before. title, tags, campaignId, metadata and the card (ogTitle, ogDescription, ogImage) change at once. Every other field decides what a tap on the link does, also where it is printed: without confirm a call with one of these answers the present and the new values, and changes nothing.',
    effect: 'destroys',
    input: { shortCode, changes, confirm },
    async run(input, { client, signal }) {
      const fields = given(input.changes);
      const code = await codeOf(client, input.shortCode, signal);
      const before = await client.links.get(code, { include: 'totals' }, { signal });
      const now = fieldsOf(before, fields);
      if (!input.confirm && Object.keys(fields).some((name) => !FOR_THE_TEAM.has(name))) {
        const { clicksTotal, installsTotal } = before;
        const link = { shortCode: code, clicksTotal, installsTotal };
        return { data: { wouldChange: { link, now, then: fields } }, say: NOTHING_YET };
      }
      const link = await client.links.update(code, fields, { signal });
      return { data: { before: now, link } };
    },
  }),
  defineTool({
    name: 'update_links',
    title: 'Change several links',
    description:
      'Makes the same changes to up to 50 links. Without confirm it answers what the fields are now, and changes nothing.',
    effect: 'destroys',
    input: { shortCodes, changes, confirm },
    async run(input, { client, signal }) {
      const codes = await codesOf(client, input.shortCodes, signal);
      const links = await readAll(client, codes, signal);
      const now = links.map(({ shortCode: code, link, error }) => ({
        shortCode: code,
        ...(link === undefined ? { error } : { now: fieldsOf(link, input.changes) }),
      }));
      if (!input.confirm) return { data: { changes: input.changes, links: now }, say: NOTHING_YET };
      const each = codes.map((code) => ({ ...given(input.changes), shortCode: code }));
      const { results } = await client.links.updateMany({ links: each }, { signal });
      return { data: { before: now, results } };
    },
  }),
  defineTool({
    name: 'delete_links',
    title: 'Delete links',
    description:
      'Deletes up to 50 links for good: their addresses stop redirecting and are never used again, also where they are printed. Without confirm it answers which links these are, with their clicks and installs, and deletes nothing.',
    effect: 'destroys',
    input: { shortCodes, confirm },
    async run(input, { client, signal }) {
      const codes = await codesOf(client, input.shortCodes, signal);
      if (!input.confirm)
        return { data: { wouldDelete: await readAll(client, codes, signal) }, say: NOTHING_YET };
      const { results } = await client.links.deleteMany({ shortCodes: codes }, { signal });
      return { data: { results: results.map((result, n) => ({ shortCode: codes[n], ...result })) } };
    },
  }),
];

async function codesOf(client: ThroughlineClient, names: readonly string[], signal: AbortSignal) {
  return await Promise.all(names.map((name) => codeOf(client, name, signal)));
}

/** One that cannot be read does not hide the others. */
async function readAll(client: ThroughlineClient, codes: readonly string[], signal: AbortSignal) {
  return await Promise.all(
    codes.map(async (code): Promise<{ shortCode: string; link?: Link; error?: string }> => {
      try {
        return { shortCode: code, link: await client.links.get(code, { include: 'totals' }, { signal }) };
      } catch (error) {
        if (!(error instanceof ThroughlineError) || error.status === null) throw error;
        return { shortCode: code, error: error.message };
      }
    }),
  );
}

/** A link has `expiresAt` for both fields that set it. */
function fieldsOf(link: Link, fields: object): Record<string, unknown> {
  const names = Object.keys(fields).map((name) => (name === 'expiresInDays' ? 'expiresAt' : name));
  return Object.fromEntries(Object.entries(link).filter(([name]) => names.includes(name)));
}
