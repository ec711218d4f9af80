import * as z from 'zod';
import { given, id, flag as inQuery, limit, recordPage, sandbox } from '../inputs.ts';
import { defineTool } from '../tool.ts';

const userId = z.string().min(1).max(255).describe('In the system of the app');

export const RECORD_TOOLS = [
  defineTool({
    name: 'search',
    title: 'Search',
    description:
      'What an id, a user ID, a short code, a part of a title, a campaign or a tag leads to: at most 20 results. Use it when it is not known what a text is.',
    effect: 'reads',
    input: {
      q: z.string().min(1).max(2_048).describe('An id may be its first 8 characters or more'),
    },
    async run(input, { client, signal }) {
      return { data: await client.search(input, { signal }) };
    },
  }),
  defineTool({
    name: 'read_install',
    title: 'Read an install and its trace',
    description:
      'An install, its opens, and the trace of each: the reason why it has its click or none, the clicks that were rejected and why, the weights of the signals. Use it for “why was this install (not) attributed?”.',
    effect: 'reads',
    input: { installId: id },
    async run(input, { client, signal }) {
      return { data: await client.installs.get(input.installId, { signal }) };
    },
  }),
  defineTool({
    name: 'read_record',
    title: 'Read a click, open or event',
    description: 'One record by its id. read_install reads installs.',
    effect: 'reads',
    input: { type: z.enum(['click', 'open', 'event']), id },
    async run(input, { client, signal }) {
      const { get } = { click: client.clicks, open: client.opens, event: client.events }[input.type];
      return { data: await get(input.id, { signal }) };
    },
  }),
  defineTool({
    name: 'list_records',
    title: 'List clicks, installs, opens or events',
    description:
      'Records, newest first, by time, link, campaign, source, platform or country. find_records_of_user finds those of a person.',
    effect: 'reads',
    input: {
      type: z.enum(['clicks', 'installs', 'opens', 'events']),
      from: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('Time of recording, such as 2026-01-31T00:00:00Z'),
      to: z.iso.datetime({ offset: true }).optional().describe('Not included'),
      shortCode: z.string().max(255).optional().describe('Of a link; empty: records without one'),
      campaignId: z.string().max(255).optional(),
      platform: z.enum(['ANDROID', 'IOS']).optional(),
      country: z.string().max(2).optional().describe('Two capitals'),
      referrer: z.string().max(255).optional(),
      utmSource: z.string().max(255).optional(),
      utmMedium: z.string().max(255).optional(),
      utmCampaign: z.string().max(255).optional(),
      method: z.array(z.string().max(40)).optional().describe('Of installs and opens, such as ["ORGANIC"]'),
      installId: z.uuid().optional().describe('Of opens and events'),
      eventName: z.string().max(255).optional().describe('Of events'),
      hasRevenue: z.boolean().optional().describe('Of installs and events'),
      visitor: z.string().max(40).optional().describe('Of clicks, such as human or crawler'),
      sandbox: sandbox.optional(),
      limit,
      before: z.uuid().optional().describe('Of the page before'),
    },
    async run({ type, ...input }, { client, signal }) {
      const flags = { sandbox: inQuery(input.sandbox), hasRevenue: inQuery(input.hasRevenue) };
      // The API refuses a filter that a kind of record has not.
      const records = await client[type].list(given({ ...input, ...flags }) as never, { signal });
      return { data: records, page: recordPage(records, input.limit) };
    },
  }),
  defineTool({
    name: 'find_records_of_user',
    title: 'Find the records of a user',
    description:
      'The newest installs, opens and events of one user of the app. This is personal data: use it for a question about that person alone.',
    effect: 'reads',
    input: { userId, sandbox: sandbox.optional(), limit },
    async run(input, { client, signal }) {
      const query = given({ ...input, sandbox: inQuery(input.sandbox) });
      const [installs, opens, events] = await Promise.all([
        client.installs.list(query, { signal }),
        client.opens.list(query, { signal }),
        client.events.list(query, { signal }),
      ]);
      const full = Object.entries({ installs, opens, events })
        .filter(([, records]) => records.length === input.limit)
        .map(([name]) => name);
      const say = `There may be more ${full.join(' and ')}, of which these are the newest ${input.limit}.`;
      return { data: { installs, opens, events }, ...(full.length > 0 && { say }) };
    },
  }),
];
