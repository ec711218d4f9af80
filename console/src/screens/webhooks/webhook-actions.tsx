import { deleteWebhook, recoverWebhook, testWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { Webhook } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Refusal } from '../../components/pane.tsx';
import { waitingText } from '../../delivery/health-line.tsx';
import { type Recoverable, RecoveryDialog } from '../../delivery/recovery-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

type Shown = 'edit' | 'recover' | 'off' | 'delete' | null;

/** What editors do with a webhook; below it, what came of a test or a switch. */
export function WebhookActions({ webhook, onDelete }: { webhook: Webhook; onDelete?: () => void }) {
  const mayEdit = useMay('editor');
  const refresh = useRefresh();
  const path = { webhookId: webhook.id };
  const refreshAll = async () => {
    await Promise.all([refresh('webhooks'), refresh('deliveries')]);
  };
  const [isTested, setTested] = useState(false);
  const [dialog, setDialog] = useState<Shown>(null);
  const test = useChange<void, unknown>(
    (client) => testWebhook({ client, path, throwOnError: true }).finally(refreshAll),
    () => setTested(true),
  );
  const enable = useChange<void, unknown>(
    (client) => updateWebhook({ client, path, body: { enabled: true }, throwOnError: true }),
    refreshAll,
  );
  if (!mayEdit) return null;
  return (
    <>
      <div className="flex flex-wrap gap-1">
        <button type="button" className="btn" aria-disabled={test.isRunning} onClick={() => test.run()}>
          {test.isRunning ? 'Sending' : 'Send a test'}
        </button>
        <button
          type="button"
          className="btn btn-quiet"
          onClick={() => (webhook.enabled ? setDialog('off') : enable.run())}
        >
          {webhook.enabled ? 'Switch off' : 'Switch on'}
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('edit')}>
          Edit
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('recover')}>
          Recover since
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('delete')}>
          Delete
        </button>
      </div>
      <div className="col-span-full basis-full empty:hidden" role="status">
        {isTested && test.error === null && <p className="meta">The test arrived.</p>}
        <Refusal error={test.error ?? enable.error} />
      </div>
      <Dialogs webhook={webhook} dialog={dialog} close={() => setDialog(null)} onDelete={onDelete} />
    </>
  );
}

function Dialogs({
  webhook,
  dialog,
  close,
  onDelete,
}: {
  webhook: Webhook;
  dialog: Shown;
  close: () => void;
  onDelete: (() => void) | undefined;
}) {
  const refresh = useRefresh();
  const remove = useChange<void, unknown>(
    (client) => deleteWebhook({ client, path: { webhookId: webhook.id }, throwOnError: true }),
    async () => {
      onDelete?.();
      await refresh('webhooks');
    },
  );
  const recover: Recoverable['recover'] = (client, body, signal) =>
    recoverWebhook({
      client,
      path: { webhookId: webhook.id },
      body,
      ...(signal && { signal }),
      throwOnError: true,
    });
  const disable = useChange<void, unknown>(
    (client) =>
      updateWebhook({
        client,
        path: { webhookId: webhook.id },
        body: { enabled: false },
        throwOnError: true,
      }),
    async () => {
      close();
      await Promise.all([refresh('webhooks'), refresh('deliveries')]);
    },
  );
  return (
    <>
      <WebhookDialog webhook={webhook} isOpen={dialog === 'edit'} onClose={close} />
      {dialog === 'recover' && (
        <RecoveryDialog of={{ ...webhook, noun: 'webhook', recover }} onClose={close} />
      )}
      <Confirm
        title="Switch off this webhook?"
        action="Switch off"
        keep="Keep it on"
        isOpen={dialog === 'off'}
        onClose={close}
        change={disable}
      >
        <p>{lossOf(webhook.health.waiting)}</p>
        <p>What happens while it is off is not sent later.</p>
      </Confirm>
      <Confirm
        title="Delete this webhook?"
        action="Delete webhook"
        isOpen={dialog === 'delete'}
        onClose={close}
        change={remove}
      >
        <b className="break-all">{webhook.url}</b> gets nothing more, and messages that wait for it are
        dropped.
      </Confirm>
    </>
  );
}

function lossOf(waiting: number): string {
  if (waiting === 0) return 'No message waits for it.';
  const what = waiting === 1 ? '1 message waits' : `${waitingText(waiting)} messages wait`;
  return `${what} and will not be sent, unless you send what did not arrive again with “Recover since”.`;
}
