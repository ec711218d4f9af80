import { deleteWebhook, testWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { Webhook } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Refusal } from '../../components/pane.tsx';
import { RecoveryDialog } from './recovery-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

type Shown = 'edit' | 'recover' | 'delete' | null;

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
  const toggle = useChange<void, unknown>(
    (client) => updateWebhook({ client, path, body: { enabled: !webhook.enabled }, throwOnError: true }),
    refreshAll,
  );
  if (!mayEdit) return null;
  return (
    <>
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
          Recover since
        </button>
        <button type="button" className="btn btn-quiet" onClick={() => setDialog('delete')}>
          Delete
        </button>
      </div>
      <div className="col-span-full basis-full empty:hidden" role="status">
        {isTested && test.error === null && <p className="meta">The test arrived.</p>}
        <Refusal error={test.error ?? toggle.error} />
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
  return (
    <>
      <WebhookDialog webhook={webhook} isOpen={dialog === 'edit'} onClose={close} />
      {dialog === 'recover' && <RecoveryDialog webhook={webhook} isOpen onClose={close} />}
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
