import type { Client } from '@generated/client/index.ts';
import type { RecoverWebhook, WebhookRecovery } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useChange } from '../api/use-change.ts';
import { useRead, useRefresh } from '../api/use-read.ts';
import { Actions, Dialog } from '../components/dialog.tsx';
import { Choice, Field } from '../components/field.tsx';
import { Refusal } from '../components/pane.tsx';
import { formatMoment, plural, ZONE } from '../formats.ts';
import type { Fares } from './health-line.tsx';

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

export interface Recoverable extends Fares {
  readonly id: string;
  readonly noun: 'webhook' | 'destination';
  /** The call of the service. */
  recover(client: Client, body: RecoverWebhook, signal?: AbortSignal): Promise<{ data: WebhookRecovery }>;
}

/** Counts what no attempt delivered, and sends it again after a confirmation. */
export function RecoveryDialog({ of, onClose }: { of: Recoverable; onClose: () => void }) {
  // As they were when the dialog opened: the list is read again meanwhile.
  const [opened] = useState(() => ({ atMs: Date.now(), failingSince: of.health.failingSince }));
  const [period, setPeriod] = useState<string>(opened.failingSince === null ? 'day' : 'failing');
  const [own, setOwn] = useState('');
  const since = sinceOf(period, { ...opened, own });
  const refresh = useRefresh();
  const count = useRead(
    ['recovery', of.id, since],
    (client, signal) => of.recover(client, { since: since ?? '', dryRun: true }, signal),
    { enabled: since !== null },
  );
  const change = useChange<string, unknown>(
    (client, from) => of.recover(client, { since: from }),
    async () => {
      onClose();
      await Promise.all([`${of.noun}s`, 'deliveries', 'recovery'].map((key) => refresh(key)));
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
        {since === null
          ? 'Choose a time.'
          : messages === undefined
            ? 'Counting'
            : sentence(messages, of.noun)}
      </p>
      {!of.enabled && <p>The {of.noun} is off. Switch it on first.</p>}
      <Refusal error={count.error ?? change.error} />
      <Actions>
        <button type="button" className="btn" onClick={onClose}>
          Cancel
        </button>
        {of.enabled && (
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

function sentence(messages: number, noun: string): string {
  if (messages === 0)
    return 'There is nothing to send again since then. What waits for its first attempt goes by itself; what was erased or is no longer kept cannot be sent.';
  return `${plural(messages, 'message')} did not arrive, those dropped while the ${noun} was off included. The oldest is sent first, as fast as the receiver takes them; none is sent twice.`;
}
