import type { Import } from '@generated/types.gen.ts';
import { formatCount } from '../../formats.ts';
import { OUTCOMES, type Outcome } from './words.ts';

const FILLS: Readonly<Record<Outcome, string>> = {
  created: 'fill-accent',
  unchanged: 'fill-mute',
  conflict: 'fill-warn',
  failed: 'fill-bad',
};
const GAP = 0.4;
/** A few of many stay visible. */
const LEAST = 0.8;

/** The outcomes as one bar, each with its number and words. */
export function OutcomeBar({ data }: { data: Import }) {
  const all = OUTCOMES.reduce((sum, { count }) => sum + data[count], 0);
  if (all === 0) return null;
  let x = 0;
  const parts = OUTCOMES.filter(({ count }) => data[count] > 0).map(({ id, count }) => {
    const width = Math.max((data[count] / all) * 100, LEAST);
    const part = { id, x, width };
    x += width + GAP;
    return part;
  });
  return (
    <div className="grid gap-2">
      <svg
        viewBox={`0 0 ${x - GAP} 12`}
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-3 w-full rounded-s"
      >
        {parts.map(({ id, ...part }) => (
          <rect key={id} {...part} y={0} height={12} className={FILLS[id]} />
        ))}
      </svg>
      <ul className="flex flex-wrap gap-x-8 gap-y-2">
        {OUTCOMES.map(({ id, count, before, after, texts }) => (
          <li key={id} className={data[count] === 0 ? 'text-ink-3' : ''}>
            <svg viewBox="0 0 10 10" aria-hidden="true" className="mr-1.5 inline-block size-2.5">
              <rect width={10} height={10} rx={2} className={FILLS[id]} />
            </svg>
            <b className="tabular-nums">{formatCount(data[count])}</b> {data.dryRun ? before : after}
            <span className="meta block pl-4">{texts[data.dryRun ? 0 : 1]}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
