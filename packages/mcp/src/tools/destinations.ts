/** Of addresses only the host is shown, since that of an own receiver may be a secret. */
import * as z from 'zod';
import { given, id, limit, recordPage } from '../inputs.ts';
import { defineTool } from '../tool.ts';
import { originOf } from './webhooks.ts';

const recordId = z.uuid().optional();

export const DESTINATION_TOOLS = [
  defineTool({
    name: 'list_destinations',
    title: 'List destinations and how they fare',
    description:
      'Networks and analytics tools that get the records of the app, with what each takes and its health: last success and failure, how many batches wait or were given up.',
    effect: 'reads',
    input: {},
    async run(_input, { client, signal }) {
      const destinations = await client.destinations.list({ signal });
      return { data: destinations.map(({ config: _, ...destination }) => destination) };
    },
  }),
  defineTool({
    name: 'list_destination_deliveries',
    title: 'List deliveries to a destination',
    description:
      'Finished attempts to send batches of records, newest first: how many were accepted, refused or left out, and the status or the reason.',
    effect: 'reads',
    input: {
      destinationId: id,
      success: z.boolean().optional().describe('false: failed attempts alone'),
      limit,
      before: z.uuid().optional().describe('Of the page before'),
    },
    async run({ destinationId, ...query }, { client, signal }) {
      const { type } = await client.destinations.get(destinationId, { signal });
      const deliveries = await client.destinations.deliveries.list(destinationId, given(query), { signal });
      // An own receiver may repeat its address.
      const shown = type === 'http' ? deliveries.map(({ details: _, ...others }) => others) : deliveries;
      return { data: shown, page: recordPage(deliveries, query.limit) };
    },
  }),
  defineTool({
    name: 'preview_destination',
    title: 'Preview what a destination would get',
    description:
      'The request that a record would become, with its secrets masked and of its address only the host, or why it would not be sent. Sends nothing. Without a record the newest one that would be sent is taken.',
    effect: 'reads',
    input: { destinationId: id, installId: recordId, openId: recordId, eventId: recordId },
    async run({ destinationId, ...record }, { client, signal }) {
      const preview = await client.destinations.preview(destinationId, given(record), { signal });
      const request = preview.request && { ...preview.request, url: originOf(preview.request.url) };
      return { data: { ...preview, request } };
    },
  }),
];
