import * as z from 'zod';
import { codeOf, given, limit, shortCode } from '../inputs.ts';
import { defineTool } from '../tool.ts';
import { linkFields } from './link-fields.ts';

export const LINK_TOOLS = [
  defineTool({
    name: 'find_links',
    title: 'Find links',
    description:
      'Lists short links with their clicks and installs, newest first. Use it to look for a link, or for the best ones of a campaign (sort: installs).',
    effect: 'reads',
    input: {
      q: z
        .string()
        .min(1)
        .max(2_300)
        .optional()
        .describe('Part of a code, path, campaign, deep link or title; or a whole short URL'),
      campaignId: z.string().max(255).optional(),
      tag: z.string().min(1).max(255).optional(),
      state: z.enum(['active', 'expired']).optional(),
      madeBy: z.enum(['team', 'app']).optional().describe('app: links that users of the app share'),
      sort: z.enum(['createdAt', 'clicks', 'installs']).default('createdAt'),
      order: z.enum(['desc', 'asc']).default('desc'),
      limit,
      offset: z.int().min(0).default(0).describe('How many to skip; the answer names that of the next page'),
    },
    async run(input, { client, signal }) {
      const links = await client.links.list(given({ ...input, include: 'totals' as const }), { signal });
      const page = { limit: input.limit, next: (kept: number) => ({ offset: input.offset + kept }) };
      return { data: links, page };
    },
  }),
  defineTool({
    name: 'read_link',
    title: 'Read a link',
    description: 'All fields of a short link, with its clicks and installs of all time.',
    effect: 'reads',
    input: { shortCode },
    async run(input, { client, signal }) {
      const code = await codeOf(client, input.shortCode, signal);
      return { data: await client.links.get(code, { include: 'totals' }, { signal }) };
    },
  }),
  defineTool({
    name: 'list_tags',
    title: 'List tags',
    description: 'The tags of the links, with how many links have each.',
    effect: 'reads',
    input: {},
    async run(_input, { client, signal }) {
      return { data: await client.links.tags({ signal }) };
    },
  }),
  defineTool({
    name: 'diagnose_link',
    title: 'Diagnose a link and the app’s set-up',
    description:
      'What five kinds of visitors get from a link, and every problem found, with its remedy: of the link itself, and of the app’s set-up (store ids, association files, host, URL scheme, matching). Records no click. Without shortCode the newest link is taken, which shows the set-up.',
    effect: 'reads',
    input: { shortCode: shortCode.optional() },
    async run(input, { client, signal }) {
      const named = input.shortCode && (await codeOf(client, input.shortCode, signal));
      const code = named ?? (await client.links.list({ limit: 1 }, { signal }))[0]?.shortCode;
      if (code === undefined)
        throw new Error('The app has no link yet, and a diagnosis needs one. Create one with create_link.');
      return { data: await client.links.diagnose(code, { signal }) };
    },
  }),
  defineTool({
    name: 'report_suspicious_links',
    title: 'Report suspicious links',
    description:
      'Links whose clicks look forged: too few or too many installs for their clicks, or clicks from one network.',
    effect: 'reads',
    input: { from: z.iso.date().optional(), to: z.iso.date().optional() },
    async run(input, { client, signal }) {
      return { data: await client.fraud.links(given(input), { signal }) };
    },
  }),
  defineTool({
    name: 'create_link',
    title: 'Create a link',
    description:
      'Creates a short link. deepLinkPath is what the app gets; the destinations are for visitors without the app, and default to those of the app.',
    effect: 'adds',
    input: {
      ...linkFields,
      deepLinkPath: z.string().min(1).max(2_048).describe('Path delivered to the app, such as /shoes/42'),
      shortCode: z.string().max(64).optional().describe('3 to 64 of A-Z a-z 0-9 - _; generated if left out'),
    },
    async run(input, { client, signal }) {
      return { data: await client.links.create(given(input), { signal }) };
    },
  }),
];
