import { listDeliveries } from '@generated/sdk.gen.ts';
import type { Webhook, WebhookDelivery } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { Delivery } from './delivery.tsx';
import { EVENT_TYPES } from './event-types.ts';

const route = getRouteApi('/$appId/webhooks');
const PAGE = 50;

/** Attempts, newest first, with the chosen one beside them. */
export function Deliveries({ webhooks }: { webhooks: readonly Webhook[] }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/webhooks' });
  const set = (change: typeof search) => void navigate({ search: { ...search, ...change } });
  const query = {
    limit: PAGE,
    ...(search.webhookId !== undefined && { webhook_id: search.webhookId }),
    ...(search.type !== undefined && { event_type: search.type }),
    ...(search.failed === 'true' && { success: false }),
    ...(search.before !== undefined && { before: search.before }),
  };
  const read = useRead(['deliveries', query], (client, signal) =>
    listDeliveries({ client, query, signal, throwOnError: true }),
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 py-3">
        <Picker
          label="Webhook"
          value={search.webhookId ?? 'all'}
          options={[['all', 'All endpoints'], ...webhooks.map(({ id, url }) => [id, nameOf(url)] as const)]}
          onPick={(id) => set({ webhookId: id === 'all' ? undefined : id, before: undefined, id: undefined })}
        />
        <Picker
          label="Event"
          value={search.type ?? 'all'}
          options={[['all', 'All types'], ...EVENT_TYPES.map((type) => [type, type] as const)]}
          onPick={(type) =>
            set({ type: type === 'all' ? undefined : type, before: undefined, id: undefined })
          }
        />
        <Picker
          label="Result"
          value={search.failed === 'true' ? 'failed' : 'all'}
          options={[
            ['all', 'All results'],
            ['failed', 'Failed'],
          ]}
          onPick={(result) =>
            set({ failed: result === 'failed' ? 'true' : undefined, before: undefined, id: undefined })
          }
        />
        <span className="meta ml-auto max-wide:hidden">
          <kbd>J</kbd> <kbd>K</kbd> to move
        </span>
      </div>
      <div className="border-t border-line">
        <Pane read={read} rows={12}>
          {(deliveries) => <Split deliveries={deliveries} />}
        </Pane>
      </div>
    </>
  );
}

export function nameOf(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

function Split({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/webhooks' });
  const index = deliveries.findIndex(({ id }) => id === search.id);
  const chosen = deliveries[index];
  const go = (to: number) => {
    const next = deliveries[to];
    if (next !== undefined) void navigate({ search: { ...search, id: next.id } });
  };
  useShortcuts({
    j: () => go(index + 1),
    k: () => go(index - 1),
    Escape: () => void navigate({ search: { ...search, id: undefined } }),
  });
  if (deliveries.length === 0)
    return (
      <Empty title="No deliveries">
        <p className="text-ink-2">Each attempt to deliver a message is listed here, with the answer.</p>
      </Empty>
    );
  return (
    <div className={chosen === undefined ? '' : 'grid grid-cols-[minmax(0,1fr)_440px] max-wide:grid-cols-1'}>
      <div className={chosen === undefined ? '' : 'max-wide:hidden'}>
        <ol>
          {deliveries.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} isChosen={delivery === chosen} />
          ))}
        </ol>
        <nav aria-label="Pages" className="flex gap-2 pt-3">
          {search.before !== undefined && (
            <button
              type="button"
              className="btn"
              onClick={() => void navigate({ search: { ...search, before: undefined } })}
            >
              Newest
            </button>
          )}
          {deliveries.length === PAGE && (
            <button
              type="button"
              className="btn"
              onClick={() => void navigate({ search: { ...search, before: deliveries.at(-1)?.id } })}
            >
              Older
            </button>
          )}
        </nav>
      </div>
      {chosen !== undefined && (
        <Delivery key={chosen.id} delivery={chosen} attempts={attemptsOf(chosen, deliveries)} />
      )}
    </div>
  );
}

/** Of one message to one webhook: they have the same bytes. */
function attemptsOf(chosen: WebhookDelivery, deliveries: readonly WebhookDelivery[]): WebhookDelivery[] {
  return deliveries
    .filter(
      ({ webhook_id, request_body }) =>
        webhook_id === chosen.webhook_id && request_body === chosen.request_body,
    )
    .toReversed();
}

function Row({ delivery, isChosen }: { delivery: WebhookDelivery; isChosen: boolean }) {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const { success, http_status, attempt_number } = delivery;
  return (
    <li className={`border-b border-line ${isChosen ? 'bg-accent-soft' : ''}`}>
      <Link
        to="/$appId/webhooks"
        params={{ appId }}
        search={{ ...search, id: delivery.id }}
        activeOptions={{ exact: true, includeSearch: true }}
        aria-current={isChosen ? 'true' : undefined}
        className="grid min-h-9 grid-cols-[40px_minmax(0,150px)_minmax(0,1fr)_auto_auto] items-center gap-x-3 px-2 hover:bg-hover max-phone:grid-cols-[40px_minmax(0,1fr)_auto] max-phone:py-2"
      >
        <span className={success ? 'text-ink-2' : 'font-semibold text-bad'}>
          {http_status === 0 ? 'none' : http_status}
        </span>
        <span className="mono truncate">{delivery.event_type}</span>
        <span className="truncate text-ink-2 max-phone:order-1 max-phone:col-start-2">
          {nameOf(delivery.webhook_url)}
        </span>
        <span className={`text-meta ${success ? 'text-ink-2' : 'text-bad'} max-phone:hidden`}>
          {attempt_number > 1 || !success ? `attempt ${attempt_number}` : ''}
        </span>
        <span className="text-meta text-ink-2">
          <Time at={delivery.created_at} />
        </span>
      </Link>
    </li>
  );
}
