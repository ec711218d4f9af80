import { deleteWebhook, recoverWebhook, testWebhook, updateWebhook } from '@generated/sdk.gen.ts';
import type { Webhook } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { type Receiver, ReceiverActions } from '../../delivery/receiver-actions.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhookActions({ webhook, onDelete }: { webhook: Webhook; onDelete?: () => void }) {
  const refresh = useRefresh();
  const [isTested, setTested] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const test = useChange<void, unknown>(
    (client) =>
      testWebhook({ client, path: { webhookId: webhook.id }, throwOnError: true }).finally(() =>
        Promise.all([refresh('webhooks'), refresh('deliveries')]),
      ),
    () => setTested(true),
  );
  return (
    <ReceiverActions
      of={receiverOf(webhook)}
      onDelete={onDelete}
      test={
        <button type="button" className="btn" aria-disabled={test.isRunning} onClick={() => test.run()}>
          {test.isRunning ? 'Sending' : 'Send a test'}
        </button>
      }
      edit={
        <>
          <button type="button" className="btn btn-quiet" onClick={() => setEdited(true)}>
            Edit
          </button>
          <WebhookDialog webhook={webhook} isOpen={isEdited} onClose={() => setEdited(false)} />
        </>
      }
      error={test.error}
    >
      {isTested && test.error === null && <p className="meta">The test arrived.</p>}
    </ReceiverActions>
  );
}

function receiverOf(webhook: Webhook): Receiver {
  const path = { webhookId: webhook.id };
  return {
    ...webhook,
    noun: 'webhook',
    label: webhook.url,
    setEnabled: (client, enabled) => updateWebhook({ client, path, body: { enabled }, throwOnError: true }),
    remove: (client) => deleteWebhook({ client, path, throwOnError: true }),
    recover: (client, body, signal) =>
      recoverWebhook({ client, path, body, ...(signal && { signal }), throwOnError: true }),
  };
}
