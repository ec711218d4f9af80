import { recoverWebhook } from '@generated/sdk.gen.ts';
import type { ListedWebhook } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { plural } from '../../formats.ts';

const HOUR_MS = 3_600_000;
const PERIODS = [
  ['1', 'The last hour'],
  ['24', 'The last 24 hours'],
  ['168', 'The last 7 days'],
  ['720', 'The last 30 days'],
] as const;

/** Counts what no attempt delivered, and sends it again after a confirmation. */
export function RecoveryDialog({
  webhook,
  isOpen,
  onClose,
}: {
  webhook: ListedWebhook;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [hours, setHours] = useState('24');
  const [openedAtMs] = useState(() => Date.now());
  const since = new Date(openedAtMs - Number(hours) * HOUR_MS).toISOString();
  const path = { webhookId: webhook.id };
  const refresh = useRefresh();
  const count = useRead(
    ['recovery', webhook.id, since],
    (client, signal) =>
      recoverWebhook({ client, path, body: { since, dryRun: true }, signal, throwOnError: true }),
    { enabled: isOpen },
  );
  const change = useChange<void, unknown>(
    (client) => recoverWebhook({ client, path, body: { since }, throwOnError: true }),
    async () => {
      onClose();
      await Promise.all([refresh('webhooks'), refresh('deliveries'), refresh('recovery')]);
    },
  );
  const messages = count.isStale ? undefined : count.data?.messages;
  return (
    <Dialog title="Send again what did not arrive" isOpen={isOpen} onClose={onClose}>
      <Choice
        label="Messages of"
        value={hours}
        onChange={(event) => setHours(event.currentTarget.value)}
        options={PERIODS}
      />
      <p role="status">{messages === undefined ? 'Counting' : sentence(messages)}</p>
      <Refusal error={count.error ?? change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="btn btn-main"
          aria-disabled={!messages || change.isRunning}
          onClick={() => {
            if (messages) change.run();
          }}
        >
          {messages ? `Send ${plural(messages, 'message')} again` : 'Send again'}
        </button>
      </Actions>
    </Dialog>
  );
}

function sentence(messages: number): string {
  if (messages === 0) return 'No message of this time was given up.';
  return `${plural(messages, 'message')} of this time ${messages === 1 ? 'was' : 'were'} given up. The oldest is sent first, as fast as the receiver takes them.`;
}
