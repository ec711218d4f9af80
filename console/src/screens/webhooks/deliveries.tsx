import { listDeliveries } from '@generated/sdk.gen.ts';
import type { Webhook, WebhookDelivery } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Picker } from '../../components/menu.tsx';
import { Empty } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { Time } from '../../components/time.tsx';
import { PAGE, REFETCH_MS, ResultPicker, Status } from '../../delivery/attempts.tsx';
import { Delivery } from './delivery.tsx';
import { EVENT_TYPES } from './event-types.ts';
import { idAfter, type Message, messagesOf, nameOf, stateOf } from './state.ts';

const route = getRouteApi('/$appId/webhooks');

/** Messages, the newest attempt first, with the chosen one beside them. */
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
  const read = useRead(
    ['deliveries', query],
    (client, signal) => listDeliveries({ client, query, signal, throwOnError: true }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 py-3">
        <Picker
          label="Webhook"
          value={search.webhookId ?? 'all'}
          options={[['all', 'All webhooks'], ...webhooks.map(({ id, url }) => [id, nameOf(url)] as const)]}
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
        <ResultPicker
          failed={search.failed}
          onPick={(failed) => set({ failed, before: undefined, id: undefined })}
        />
        <span className="meta ml-auto max-wide:hidden">
          <kbd>J</kbd> <kbd>K</kbd> to move
        </span>
      </div>
      <div className="border-t border-line">
        <Pane read={read} rows={12}>
          {(deliveries) => <Split deliveries={deliveries} webhooks={webhooks} />}
        </Pane>
      </div>
    </>
  );
}

function Split({
  deliveries,
  webhooks,
}: {
  deliveries: readonly WebhookDelivery[];
  webhooks: readonly Webhook[];
}) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/webhooks' });
  const messages = messagesOf(deliveries);
  const index = messages.findIndex((attempts) => attempts.some(({ id }) => id === search.id));
  const chosen = messages[index];
  const webhookOf = (message: Message) => webhooks.find(({ id }) => id === message[0].webhook_id);
  useShowPageOf(chosen === undefined ? search.id : undefined);
  const go = (to: number) => {
    const next = messages[to];
    if (next !== undefined) void navigate({ search: { ...search, id: next[0].id } });
  };
  useShortcuts({
    j: () => go(index + 1),
    k: () => go(index - 1),
    Escape: () => void navigate({ search: { ...search, id: undefined } }),
  });
  if (deliveries.length === 0)
    return (
      <Empty title="No messages">
        <p className="text-ink-2">
          Each message is listed here with its attempts and what the receiver answered.
        </p>
      </Empty>
    );
  return (
    <div className={chosen === undefined ? '' : 'grid grid-cols-[minmax(0,1fr)_440px] max-wide:grid-cols-1'}>
      <div className={chosen === undefined ? '' : 'max-wide:hidden'}>
        <ol>
          {messages.map((message) => (
            <Row
              key={message[0].id}
              message={message}
              isChosen={message === chosen}
              webhook={webhookOf(message)}
            />
          ))}
        </ol>
        <nav aria-label="Pages" className="flex gap-2 pt-3">
          {search.before !== undefined && (
            <button
              type="button"
              className="btn"
              onClick={() => void navigate({ search: { ...search, before: undefined, id: undefined } })}
            >
              Newest
            </button>
          )}
          {deliveries.length === PAGE && (
            <button
              type="button"
              className="btn"
              onClick={() =>
                void navigate({ search: { ...search, before: deliveries.at(-1)?.id, id: undefined } })
              }
            >
              Older
            </button>
          )}
        </nav>
      </div>
      {chosen !== undefined && <Delivery key={chosen[0].id} message={chosen} webhook={webhookOf(chosen)} />}
    </div>
  );
}

/** An address may name a record that is on no page that was opened: goes to the page that begins with it. */
function useShowPageOf(missingId: string | undefined): void {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/webhooks' });
  const isAsked = missingId !== undefined && /^[0-9a-f-]{36}$/i.test(missingId);
  const before = isAsked ? idAfter(missingId) : undefined;
  useEffect(() => {
    if (before !== undefined && before !== search.before)
      void navigate({ search: { ...search, before }, replace: true });
  });
}

function Row({
  message,
  isChosen,
  webhook,
}: {
  message: Message;
  isChosen: boolean;
  webhook: Webhook | undefined;
}) {
  const [delivery] = message;
  const { appId } = route.useParams();
  const search = route.useSearch();
  const { success, http_status } = delivery;
  const state = stateOf(message, webhook);
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
        <Status status={http_status} isSuccess={success} />
        <span className="mono truncate">{delivery.event_type}</span>
        <span className="truncate text-ink-2 max-phone:order-1 max-phone:col-start-2">
          {nameOf(delivery.webhook_url)}
        </span>
        <span
          className={`text-meta ${state.isBad ? 'text-bad' : 'text-ink-2'} max-phone:order-2 max-phone:col-span-2 max-phone:col-start-2`}
        >
          {state.text}
        </span>
        <span className="text-meta text-ink-2">
          <Time at={delivery.created_at} />
        </span>
      </Link>
    </li>
  );
}
