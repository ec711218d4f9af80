import type { Import } from '@generated/types.gen.ts';
import { formatShare, plural } from '../../formats.ts';

export type Outcome = 'created' | 'unchanged' | 'conflict' | 'failed';

/** Words for each outcome, of a dry run and of an import. */
export const OUTCOMES: readonly {
  readonly id: Outcome;
  readonly count: keyof Pick<Import, 'created' | 'unchanged' | 'conflicts' | 'failed'>;
  readonly before: string;
  readonly after: string;
  /** What becomes of the rows, and became of them. */
  readonly texts: readonly [before: string, after: string];
}[] = [
  {
    id: 'created',
    count: 'created',
    before: 'new',
    after: 'imported',
    texts: ['become links', 'are links now'],
  },
  {
    id: 'unchanged',
    count: 'unchanged',
    before: 'here already',
    after: 'here already',
    texts: ['stay as they are', 'stayed as they were'],
  },
  {
    id: 'conflict',
    count: 'conflicts',
    before: 'in conflict',
    after: 'in conflict',
    texts: ['have the address of another link', 'have the address of another link'],
  },
  {
    id: 'failed',
    count: 'failed',
    before: 'not possible',
    after: 'not possible',
    texts: ['are no link here', 'are no link here'],
  },
];

/** One line for a list of imports. */
export function outcomeText({ status, dryRun, progress = 0, ...counts }: Import): string {
  if (status === 'running') return `Running, ${formatShare(progress, 0)}`;
  const parts = OUTCOMES.filter(({ count }) => counts[count] > 0).map(({ count, before, after }) =>
    plural(counts[count], dryRun ? before : after, dryRun ? before : after),
  );
  if (status === 'failed') return ['Failed', ...parts].join('; ');
  return parts.length === 0 ? 'Nothing' : parts.join(', ');
}

/** The sentence above the picture. */
export function verdictOf({ dryRun, created, unchanged, conflicts, failed }: Import): string {
  const wrong = conflicts + failed;
  const rest = wrong === 0 ? '' : `, ${plural(wrong, 'row')} cannot`;
  if (dryRun) {
    if (created > 0) return `${plural(created, 'link')} can be imported${rest}.`;
    return unchanged > 0 && wrong === 0 ? 'All of these links are here already.' : 'No row can be imported.';
  }
  const not = wrong === 0 ? '' : `, ${plural(wrong, 'row')} not`;
  if (created > 0) return `${plural(created, 'link')} imported${not}.`;
  return unchanged > 0 && wrong === 0 ? 'All of these links were here already.' : 'No link was imported.';
}
