import type { WebhookDelivery } from '@throughline/server';
import * as z from 'zod';
import { given, id, limit, recordPage } from '../inputs.ts';
import { defineTool } from '../tool.ts';

export const WEBHOOK_TOOLS = [
  defineTool({
    name: 'list_webhooks',
    title: 'List webhooks and how they fare',
    description:
      'Webhooks with their health: last success and failure, since when they fail, how many messages wait or were given up. Of an address only its host is shown, since that of a chat is a secret.',
    effect: 'reads',
    input: {},
    async run(_input, { client, signal }) {
      const webhooks = await client.webhooks.list({ signal });
      return { data: webhooks.map((webhook) => ({ ...webhook, url: originOf(webhook.url) })) };
    },
  }),
  defineTool({
    name: 'list_deliveries',
    title: 'List deliveries to webhooks',
    description:
      'Finished attempts to deliver a message, newest first, with the receiver’s status or the error.',
    effect: 'reads',
    input: {
      webhookId: id.optional(),
      eventType: z.string().max(255).optional().describe('Such as install.attributed'),
      success: z.boolean().optional().describe('false: failed attempts alone'),
      limit,
      before: z.uuid().optional().describe('Of the page before'),
    },
    async run({ webhookId, eventType, ...input }, { client, signal }) {
      const query = given({ ...input, webhook_id: webhookId, event_type: eventType });
      const deliveries = await client.webhooks.deliveries.list(query, { signal });
      return { data: deliveries.map(withoutAddress), page: recordPage(deliveries, input.limit) };
    },
  }),
];

/** A receiver may repeat its address, so its answer is left out too. */
function withoutAddress({ response_body: _, ...delivery }: WebhookDelivery) {
  return { ...delivery, webhook_url: originOf(delivery.webhook_url) };
}

export function originOf(url: string): string {
  return new URL(url).origin;
}
