import type { Import } from '@generated/types.gen.ts';
import { formatShare, plural } from '../../formats.ts';

const JUDGED = 0.5;

/** How far a running import is; it goes on without the page. */
export function Running({ data: { dryRun, progress = 0, rows, created } }: { data: Import }) {
  const isStoring = !dryRun && progress >= JUDGED;
  return (
    <div className="grid max-w-[560px] gap-2 pt-5">
      <progress className="w-full accent-accent" aria-label="Progress" value={progress} max={1} />
      <p role="status" className="tabular-nums">
        {formatShare(progress, 0)}.{' '}
        {isStoring
          ? `All ${plural(rows, 'row')} are judged; ${plural(created, 'link')} stored so far.`
          : `${plural(rows, 'row')} judged so far.`}
      </p>
      <p className="text-ink-2">You can leave this page: the import goes on, and its report stays here.</p>
    </div>
  );
}
