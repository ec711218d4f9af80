import { recoverWebhook } from '@generated/sdk.gen.ts';
import type { Webhook } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRead, useRefresh } from '../../api/use-read.ts';
import { Actions, Dialog } from '../../components/dialog.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { formatMoment, plural, ZONE } from '../../formats.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const HOURS = { hour: 1, day: 24, week: 168 } as const;
const PERIODS = [
  ['hour', 'An hour ago'],
  ['day', '24 hours ago'],
  ['week', '7 days ago'],
  ['all', 'The oldest message that is kept'],
  ['own', 'A time of your choice'],
] as const;
const FIRST_TIME = '1970-01-01T00:00:00Z';

/** Counts what no attempt delivered, and sends it again after a confirmation. */
export function RecoveryDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  // As they were when the dialog opened: the list is read again meanwhile.
  const [opened] = useState(() => ({ atMs: Date.now(), failingSince: webhook.health.failingSince }));
  const [period, setPeriod] = useState<string>(opened.failingSince === null ? 'day' : 'failing');
  const [own, setOwn] = useState('');
  const since = sinceOf(period, { ...opened, own });
  const path = { webhookId: webhook.id };
  const refresh = useRefresh();
  const count = useRead(
    ['recovery', webhook.id, since],
    (client, signal) =>
      recoverWebhook({
        client,
        path,
        body: { since: since ?? '', dryRun: true },
        signal,
        throwOnError: true,
      }),
    { enabled: since !== null },
  );
  const change = useChange<string, unknown>(
    (client, from) => recoverWebhook({ client, path, body: { since: from }, throwOnError: true }),
    async () => {
      onClose();
      await Promise.all([refresh('webhooks'), refresh('deliveries'), refresh('recovery')]);
    },
  );
  const messages = count.isStale || since === null ? undefined : count.data?.messages;
  return (
    <Dialog title="Send again what did not arrive" isOpen onClose={onClose}>
      <Choice
        label="Messages since"
        value={period}
        onChange={(event) => setPeriod(event.currentTarget.value)}
        options={periodsOf(opened.failingSince)}
      />
      {period === 'own' && (
        <Field
          label={`Time (${ZONE})`}
          type="datetime-local"
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
        />
      )}
      <p role="status">
        {since === null ? 'Choose a time.' : messages === undefined ? 'Counting' : sentence(messages)}
      </p>
      {!webhook.enabled && <p>The webhook is off. Switch it on first.</p>}
      <Refusal error={count.error ?? change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        {webhook.enabled && (
          <button
            type="button"
            className="btn btn-main"
            aria-disabled={!messages || change.isRunning}
            onClick={() => {
              if (messages && since !== null) change.run(since);
            }}
          >
            {messages ? `Send ${plural(messages, 'message')} again` : 'Send again'}
          </button>
        )}
      </Actions>
    </Dialog>
  );
}

function periodsOf(failingSince: string | null): (readonly [string, string])[] {
  if (failingSince === null) return [...PERIODS];
  const start = formatMoment(startOfFailing(failingSince), { seconds: false });
  return [['failing', `An hour before it began to fail, ${start}`], ...PERIODS];
}

/** To the minute, as it is said. The message of the first failure is older than its attempt. */
function startOfFailing(failingSince: string): string {
  const startMs = Date.parse(failingSince) - HOUR_MS;
  return new Date(startMs - (startMs % MINUTE_MS)).toISOString();
}

/** @returns null while no time is chosen. */
function sinceOf(
  period: string,
  { atMs, failingSince, own }: { atMs: number; failingSince: string | null; own: string },
): string | null {
  if (period === 'all') return FIRST_TIME;
  if (period === 'own') return own === '' ? null : new Date(own).toISOString();
  if (period === 'failing') return failingSince === null ? null : startOfFailing(failingSince);
  return new Date(atMs - HOURS[period as keyof typeof HOURS] * HOUR_MS).toISOString();
}

function sentence(messages: number): string {
  if (messages === 0)
    return 'There is nothing to send again since then. What waits for its first attempt goes by itself; what was erased or is no longer kept cannot be sent.';
  return `${plural(messages, 'message')} did not arrive, those dropped while the webhook was off included. The oldest is sent first, as fast as the receiver takes them; none is sent twice.`;
}
