import type { Webhook } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ReceiverRow } from '../../delivery/receiver-row.tsx';
import { nameOf } from './state.ts';
import { WebhookActions } from './webhook-actions.tsx';

const route = getRouteApi('/$appId/webhooks');

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { appId } = route.useParams();
  return (
    <ReceiverRow
      of={webhook}
      heading={
        <Link
          to="/$appId/webhooks"
          params={{ appId }}
          search={{ tab: 'deliveries', webhookId: webhook.id }}
          activeOptions={{ exact: true, includeSearch: true }}
          className="link font-semibold break-all"
        >
          {nameOf(webhook.url)}
        </Link>
      }
      kind={webhook.template}
      takes={webhook.events.length === 0 ? 'All events' : webhook.events.join(', ')}
    >
      <WebhookActions webhook={webhook} />
    </ReceiverRow>
  );
}
