import type { WebhookHealth } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import { Time } from '../components/time.tsx';
import { formatCount, formatDuration, formatMoment, formatUtc } from '../formats.ts';

const DAY_SECONDS = 86_400;
/** The service counts no further. */
const MAX_WAITING = 1_000;

export interface Fares {
  readonly enabled: boolean;
  readonly health: WebhookHealth;
}

/** How a webhook or destination fares: what it does now, and since when. */
export function HealthLine({ of }: { of: Fares }) {
  const { lastSuccessAt } = of.health;
  return (
    <p>
      <State {...of} />{' '}
      {lastSuccessAt !== null && (
        <span className="text-ink-2">
          Last success <Ago at={lastSuccessAt} />.
        </span>
      )}{' '}
      <Counts health={of.health} />
    </p>
  );
}

function State({ enabled, health }: Fares) {
  const { lastSuccessAt, lastFailureAt, failingSince, pausedUntil } = health;
  if (!enabled) return <b>Off: nothing is sent.</b>;
  if (pausedUntil !== null)
    return (
      <b>
        Paused until <Time at={pausedUntil} />: the receiver asked for it.
      </b>
    );
  if (failingSince !== null)
    return (
      <b className="text-bad">
        Failing since <Time at={failingSince} seconds={false} />.
      </b>
    );
  if (lastSuccessAt === null && lastFailureAt === null) return <b>Nothing sent yet.</b>;
  return <b>Delivering.</b>;
}

function Counts({ health }: Pick<Fares, 'health'>) {
  const { waiting, failed24h, delivered24h, failingSince } = health;
  const parts: ReactNode[] = [];
  if (delivered24h > 0) parts.push(`${formatCount(delivered24h)} arrived in 24 hours`);
  if (failed24h > 0)
    parts.push(
      <span className={failingSince === null ? '' : 'font-semibold text-bad'}>
        {formatCount(failed24h)} given up in 24 hours, those sent again since included
      </span>,
    );
  if (waiting > 0) parts.push(`${waitingText(waiting)} waiting`);
  return (
    <span className="text-ink-2">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts keep their order
        <span key={index}>
          {index > 0 && ', '}
          {part}
        </span>
      ))}
      {parts.length > 0 && '.'}
    </span>
  );
}

export function waitingText(waiting: number): string {
  return `${formatCount(waiting)}${waiting >= MAX_WAITING ? ' or more' : ''}`;
}

/** How long ago, within a day; else when. */
function Ago({ at }: { at: string }) {
  const seconds = (Date.now() - Date.parse(at)) / 1_000;
  if (seconds >= DAY_SECONDS) return <Time at={at} seconds={false} />;
  return (
    <time dateTime={at} title={`${formatMoment(at)}, ${formatUtc(at)}`} className="whitespace-nowrap">
      {formatDuration(seconds, 'long', 1)} ago
    </time>
  );
}
