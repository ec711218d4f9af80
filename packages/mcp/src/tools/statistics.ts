import * as z from 'zod';
import { codeOf, day, given, flag as inQuery, limit, recordPage, sandbox, shortCode } from '../inputs.ts';
import { defineTool } from '../tool.ts';

const filters = {
  shortCode: z.string().max(255).optional().describe('Of a link; empty: records without one'),
  campaignId: z.string().max(255).optional(),
  platform: z.enum(['ANDROID', 'IOS']).optional(),
  country: z.string().max(2).optional().describe('Two capitals, such as DE'),
  method: z.enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC', 'DIRECT']).optional(),
  referrer: z.string().max(1_000).optional().describe('Host name'),
  utmSource: z.string().max(1_000).optional(),
  utmMedium: z.string().max(1_000).optional(),
  utmCampaign: z.string().max(1_000).optional(),
  network: z.string().max(255).optional().describe('Ad network that claims the install, such as meta'),
  networkCampaign: z.string().max(1_000).optional().describe('ID of its campaign'),
};
const PARTS = ['totals', 'previous', 'groups', 'series', 'previousSeries'] as const;

export const STATISTICS_TOOLS = [
  defineTool({
    name: 'read_statistics',
    title: 'Read statistics',
    description:
      'Counts clicks, installs, opens, events, revenue and cost of the app, by default of the last 30 days beside the 30 days before. groupBy splits them, such as ["campaign"]; include: ["series"] gives the numbers of each interval. networkInstalls are those that an ad network claims. payingInstalls are installs of the period that have paid since, cohortRevenue is all revenue of these installs so far, whenever it came: both still grow. firstPurchases are installs that paid for the first time within the period, whenever they came. returnOnAdSpend divides cohortRevenue by cost.',
    effect: 'reads',
    input: {
      from: day.optional(),
      to: day.optional().describe('Included; at most 366 days after from'),
      timezone: z.string().max(64).optional().describe('Such as Europe/Berlin; default UTC'),
      groupBy: z
        .array(z.string().max(40))
        .optional()
        .describe(
          'Up to 6 of link, campaign, method, country, referrer, utmSource, utmMedium, utmCampaign, eventName, platform, platformVersion, appVersion, visitor, network, networkCampaign, inviter. network and networkCampaign are the ad networks that claim installs, and their campaigns; campaign is that of links',
        ),
      include: z
        .array(z.enum(PARTS))
        .min(1)
        .optional()
        .describe('Default: totals and previous, and groups with groupBy'),
      interval: z
        .enum(['hour', 'day', 'week', 'month'])
        .optional()
        .describe('Of the series; hour for at most 14 days'),
      compare: z
        .enum(['days', 'month'])
        .optional()
        .describe('What previous is: as many days before, or the month before'),
      sort: z.string().max(40).optional().describe('The metric by which groups are sorted, such as installs'),
      limit: z.int().min(1).max(100).default(20).describe('Of groups; the rest is summed up in other'),
      credit: z
        .enum(['install', 'last'])
        .optional()
        .describe('The link of events: that of the install, or of the latest open'),
      ...filters,
      sandbox: sandbox.optional(),
    },
    async run({ groupBy = [], include, sandbox: isSandbox, ...query }, { client, signal }) {
      const parts = include ?? ['totals', 'previous', ...(groupBy.length > 0 ? ['groups'] : [])];
      const asked = given({ ...query, groupBy: groupBy.join() || undefined, sandbox: inQuery(isSandbox) });
      // The API checks the names of dimensions and metrics.
      return { data: await client.stats.get({ ...asked, include: parts.join() } as never, { signal }) };
    },
  }),
  defineTool({
    name: 'read_link_statistics',
    title: 'Read statistics of a link',
    description: 'Clicks, installs and opens of one link by day, platform, method and campaign.',
    effect: 'reads',
    input: { shortCode, from: day.optional(), to: day.optional() },
    async run({ shortCode: name, ...query }, { client, signal }) {
      const code = await codeOf(client, name, signal);
      return { data: await client.links.stats(code, given(query), { signal }) };
    },
  }),
  defineTool({
    name: 'read_retention',
    title: 'Read retention',
    description: 'How many installs of each day were active on the 30 days after it, in UTC.',
    effect: 'reads',
    input: {
      from: day.optional(),
      to: day.optional(),
      groupBy: z.enum(['campaign', 'link', 'method']).optional(),
      sandbox: sandbox.optional(),
    },
    async run(input, { client, signal }) {
      const query = given({ ...input, sandbox: inQuery(input.sandbox) });
      return { data: await client.stats.retention(query, { signal }) };
    },
  }),
  defineTool({
    name: 'read_accuracy',
    title: 'Read how right the fingerprint is',
    description:
      'Of live installs with a certain match: what the fingerprint alone would have said, for each threshold, and which threshold the app has.',
    effect: 'reads',
    input: { from: day.optional(), to: day.optional(), platform: z.enum(['ANDROID', 'IOS']).optional() },
    async run(input, { client, signal }) {
      return { data: await client.stats.accuracy(given(input), { signal }) };
    },
  }),
  defineTool({
    name: 'list_costs',
    title: 'List costs',
    description:
      'What was spent on campaigns, by day, newest first. read_statistics has cost beside installs.',
    effect: 'reads',
    input: {
      from: day.optional(),
      to: day.optional(),
      campaignId: z.string().max(255).optional(),
      sandbox: sandbox.optional(),
      limit,
      before: z.uuid().optional().describe('Of the page before'),
    },
    async run(input, { client, signal }) {
      const costs = await client.costs.list(given({ ...input, sandbox: inQuery(input.sandbox) }), { signal });
      return { data: costs, page: recordPage(costs, input.limit) };
    },
  }),
  defineTool({
    name: 'read_conversion_values',
    title: 'Read conversion values',
    description: 'The names of the conversion values that the SDK reports to Apple’s ad networks.',
    effect: 'reads',
    input: {},
    async run(_input, { client, signal }) {
      return { data: await client.conversionValues.get({ signal }) };
    },
  }),
];
