import type { ListedWebhook } from '@generated/types.gen.ts';
import type { ReactNode } from 'react';
import { Time } from '../../components/time.tsx';
import { formatCount } from '../../formats.ts';

/** How deliveries to a webhook go: when one last arrived, what waits, what was given up, and whether it is paused. */
export function HealthLine({ health }: { health: ListedWebhook['health'] }) {
  const { lastSuccessAt, lastFailureAt, waiting, failed24h, delivered24h, pausedUntil } = health;
  const isFailing = lastFailureAt !== null && (lastSuccessAt === null || lastFailureAt > lastSuccessAt);
  const parts: ReactNode[] = [
    lastSuccessAt === null ? (
      'Nothing has arrived yet'
    ) : (
      <>
        Last arrived <Time at={lastSuccessAt} seconds={false} />, {formatCount(delivered24h)} in 24 hours
      </>
    ),
  ];
  if (isFailing)
    parts.push(
      <span className="text-bad">
        last attempt failed <Time at={lastFailureAt} seconds={false} />
      </span>,
    );
  if (failed24h > 0)
    parts.push(<span className="font-semibold text-bad">{formatCount(failed24h)} given up in 24 hours</span>);
  if (waiting > 0) parts.push(`${formatCount(waiting)} waiting`);
  if (pausedUntil !== null)
    parts.push(
      <span className="font-semibold">
        paused until <Time at={pausedUntil} />, as the receiver asked
      </span>,
    );
  return (
    <p className="meta">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts keep their order
        <span key={index}>
          {index > 0 && ' · '}
          {part}
        </span>
      ))}
    </p>
  );
}
