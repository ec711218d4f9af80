/** Webhooks, each of them, and their messages. */
import { listWebhooks } from '@generated/sdk.gen.ts';
import type { Webhook } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { REFETCH_MS } from '../../delivery/attempts.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WebhookHead } from './webhook-head.tsx';
import { WebhookRow } from './webhook-row.tsx';

const route = getRouteApi('/$appId/webhooks');

export function Webhooks() {
  const { tab, webhookId } = route.useSearch();
  const read = useRead(
    ['webhooks'],
    (client, signal) => listWebhooks({ client, signal, throwOnError: true }),
    { refetchMs: REFETCH_MS },
  );
  const isDeliveries = tab === 'deliveries';
  const chosen = isDeliveries ? read.data?.find(({ id }) => id === webhookId) : undefined;
  return (
    <>
      {chosen === undefined ? <AllHead isDeliveries={isDeliveries} /> : <WebhookHead webhook={chosen} />}
      {isDeliveries ? <Deliveries webhooks={read.data ?? []} /> : <WebhookList read={read} />}
    </>
  );
}

function AllHead({ isDeliveries }: { isDeliveries: boolean }) {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  const [isMaking, setMaking] = useState(false);
  const tabs = [
    ['Webhooks', undefined],
    ['Messages', 'deliveries'],
  ] as const;
  return (
    <Head title="Webhooks">
      <nav aria-label="Webhooks" className="tabs">
        {tabs.map(([name, value]) => (
          <Link
            key={name}
            to="/$appId/webhooks"
            params={{ appId }}
            search={{ tab: value }}
            aria-current={(value === 'deliveries') === isDeliveries ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {name}
          </Link>
        ))}
      </nav>
      {mayEdit && (
        <button type="button" className="btn ml-auto" onClick={() => setMaking(true)}>
          New webhook
        </button>
      )}
      <WebhookDialog webhook={null} isOpen={isMaking} onClose={() => setMaking(false)} />
    </Head>
  );
}

function WebhookList({ read }: { read: Read<readonly Webhook[]> }) {
  return (
    <div className="mt-2 border-t border-line">
      <Pane read={read} rows={4}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              <p className="text-ink-2">
                A webhook tells another system, or a chat, of each install, open or event at once.
              </p>
            </Empty>
          ) : (
            <ul>
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </Pane>
    </div>
  );
}
