import type { Webhook } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { HealthLine } from '../../delivery/health-line.tsx';
import { nameOf } from './state.ts';
import { WebhookActions } from './webhook-actions.tsx';

const route = getRouteApi('/$appId/webhooks');

export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { appId } = route.useParams();
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b border-line py-2.5 max-wide:grid-cols-1">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <Link
            to="/$appId/webhooks"
            params={{ appId }}
            search={{ tab: 'deliveries', webhookId: webhook.id }}
            activeOptions={{ exact: true, includeSearch: true }}
            className="link font-semibold break-all"
          >
            {nameOf(webhook.url)}
          </Link>
          {webhook.template !== null && <span className="tag">{webhook.template}</span>}
          {!webhook.enabled && <span className="tag">off</span>}
        </p>
        <p className="text-ink-2">{webhook.events.length === 0 ? 'All events' : webhook.events.join(', ')}</p>
        <HealthLine of={webhook} />
      </div>
      <WebhookActions webhook={webhook} />
    </li>
  );
}
