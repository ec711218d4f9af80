import { deleteWebhook, testWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { ListedWebhook } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { type Change, useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Refusal } from '../../components/pane.tsx';
import { HealthLine } from './health-line.tsx';
import { RecoveryDialog } from './recovery-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

const route = getRouteApi('/$appId/webhooks');

export function WebhookRow({ webhook }: { webhook: ListedWebhook }) {
  const { appId } = route.useParams();
  const mayEdit = useMay('editor');
  const refresh = useRefresh();
  const path = { webhookId: webhook.id };
  const [isTested, setTested] = useState(false);
  const test = useChange<void, unknown>(
    (client) => testWebhook({ client, path, throwOnError: true }),
    async () => {
      setTested(true);
      await refresh('webhooks');
    },
  );
  const toggle = useChange<void, unknown>(
    (client) => updateWebhook({ client, path, body: { enabled: !webhook.enabled }, throwOnError: true }),
    () => refresh('webhooks'),
  );
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-1 border-b border-line py-2.5 max-phone:grid-cols-1">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <b className="break-all">{webhook.url.replace(/^https?:\/\//, '')}</b>
          {webhook.template !== null && <span className="tag">{webhook.template}</span>}
          {!webhook.enabled && <span className="tag">off</span>}
        </p>
        <p className="text-ink-2">
          {webhook.events.length === 0 ? 'All events' : webhook.events.join(', ')}.{' '}
          <Link
            to="/$appId/webhooks"
            params={{ appId }}
            search={{ tab: 'deliveries', webhookId: webhook.id }}
            activeOptions={{ exact: true, includeSearch: true }}
            className="link"
          >
            Deliveries
          </Link>
        </p>
        <HealthLine health={webhook.health} />
      </div>
      {mayEdit && <RowActions webhook={webhook} test={test} toggle={toggle} />}
      <div className="col-span-full empty:hidden" role="status">
        {isTested && test.error === null && <p className="meta">The test arrived.</p>}
        <Refusal error={test.error ?? toggle.error} />
      </div>
    </li>
  );
}

function RowActions({
  webhook,
  test,
  toggle,
}: {
  webhook: ListedWebhook;
  test: Change<void>;
  toggle: Change<void>;
}) {
  const [dialog, setDialog] = useState<'edit' | 'recover' | 'delete' | null>(null);
  const refresh = useRefresh();
  const remove = useChange<void, unknown>(
    (client) => deleteWebhook({ client, path: { webhookId: webhook.id }, throwOnError: true }),
    () => refresh('webhooks'),
  );
  return (
    <div className="flex flex-wrap gap-1">
      <button type="button" className="btn" aria-disabled={test.isRunning} onClick={() => test.run()}>
        {test.isRunning ? 'Sending' : 'Send a test'}
      </button>
      <button type="button" className="btn btn-quiet" onClick={() => toggle.run()}>
        {webhook.enabled ? 'Switch off' : 'Switch on'}
      </button>
      <button type="button" className="btn btn-quiet" onClick={() => setDialog('edit')}>
        Edit
      </button>
      <button type="button" className="btn btn-quiet" onClick={() => setDialog('recover')}>
        Recover
      </button>
      <button type="button" className="btn btn-quiet" onClick={() => setDialog('delete')}>
        Delete
      </button>
      <WebhookDialog webhook={webhook} isOpen={dialog === 'edit'} onClose={() => setDialog(null)} />
      {dialog === 'recover' && <RecoveryDialog webhook={webhook} isOpen onClose={() => setDialog(null)} />}
      <Confirm
        title="Delete this webhook?"
        action="Delete webhook"
        isOpen={dialog === 'delete'}
        onClose={() => setDialog(null)}
        change={remove}
      >
        <b className="break-all">{webhook.url}</b> gets nothing more, and deliveries that wait are dropped.
      </Confirm>
    </div>
  );
}
