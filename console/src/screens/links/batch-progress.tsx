import type { Link } from '@generated/types.gen.ts';
import { Refusal } from '../../components/pane.tsx';
import { formatCount, plural } from '../../formats.ts';
import { linkName } from './link-name.ts';
import type { BatchState } from './use-batch.ts';

const LISTED = 50;

/** How far a batch is, and what it could not do. */
export function BatchProgress({
  links,
  batch,
  verb,
}: {
  links: readonly Link[];
  batch: BatchState;
  verb: string;
}) {
  const { state, done, total, failures, error } = batch;
  if (state === 'ready') return null;
  const nameOf = (code: string) => {
    const link = links.find(({ shortCode }) => shortCode === code);
    return link === undefined ? `/${code}` : linkName(link);
  };
  const succeeded = done - failures.length;
  return (
    <div className="grid gap-2">
      {state === 'running' && (
        <progress className="w-full accent-accent" aria-label="Progress" value={done} max={total} />
      )}
      <p role="status">
        {state === 'running'
          ? `${formatCount(done)} of ${plural(total, 'link')} so far.`
          : `${plural(succeeded, 'link')} ${verb}${failures.length > 0 ? `, ${formatCount(failures.length)} not` : ''}${done < total ? `, ${formatCount(total - done)} left` : ''}.`}
      </p>
      {failures.length > 0 && (
        <ul aria-label="Not done" className="max-h-40 overflow-y-auto [overflow-wrap:anywhere]">
          {failures.slice(0, LISTED).map(({ shortCode, text }) => (
            <li key={shortCode} className="py-0.5">
              <bdi className="font-semibold">{nameOf(shortCode)}</bdi>{' '}
              <span className="text-ink-2">{text}</span>
            </li>
          ))}
          {failures.length > LISTED && (
            <li className="meta">and {plural(failures.length - LISTED, 'other')}</li>
          )}
        </ul>
      )}
      <Refusal error={error} />
    </div>
  );
}
