/** Each phone as a column, each signal as a row; a line walks between 0 and 100 %. */

import type { TraceCompared } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Mark } from '../../components/mark.tsx';
import { Time } from '../../components/time.tsx';
import { formatDuration, formatProbability, plural, timeOfId, toPercent } from '../../formats.ts';
import { type Clicks, NOT_READ } from './use-trace.ts';
import type { Column, Step } from './walk.ts';

const route = getRouteApi('/$appId/installs/$installId');

const ROWS: readonly (readonly [name: string, help: string])[] = [
  ['Time and crowd', 'before comparing phones'],
  ['Phone model', ''],
  ['Screen', ''],
  ['System version', 'may rise, never fall'],
  ['Language', ''],
  ['Time zone', 'neighbours share it'],
  ['The other clicks', 'only one can be it'],
];

interface GridProps {
  readonly compared: TraceCompared;
  readonly clicks: Clicks;
}

export function WalkGrid({ columns, ...props }: GridProps & { columns: readonly Column[] }) {
  const { threshold, margin, considered, candidates } = props.compared;
  return (
    <>
      <div
        className="walk-grid"
        style={{
          '--columns': Math.min(3, Math.max(2, columns.length)),
          '--head': columns.some(({ creditedId }) => creditedId !== null) ? '84px' : '68px',
        }}
      >
        <div className="walk-labels" aria-hidden="true">
          <div className="h-[calc(var(--head)+24px)]" />
          {ROWS.map(([name, help]) => (
            <div key={name} className="grid h-12 content-center border-t border-line">
              <span>{name}</span>
              {help !== '' && <span className="meta">{help}</span>}
            </div>
          ))}
          <div className="border-t border-line-strong pt-2.5">
            <b>In the end</b>
          </div>
        </div>
        {columns.slice(0, 3).map((column) => (
          <CandidateColumn key={column.letter} column={column} {...props} />
        ))}
      </div>
      <p className="meta max-w-[92ch] pt-3">
        The dashed line is {formatProbability(threshold)}. The best click must pass it and be {margin} times
        as likely as that of any other phone.
        {considered > candidates.length && ` ${considered} clicks were compared; the likeliest are here.`}
        {columns.length > 3 && ` ${plural(columns.length - 3, 'less likely phone')} left out.`}
        {crowdOf(props.compared) > columns.length &&
          ` About ${plural(crowdOf(props.compared), 'device')} share the address: computers, and phones whose clicks were passed over, count too.`}{' '}
        What a phone said is not kept with the decision; only whether it agreed.
      </p>
    </>
  );
}

/** Devices at the address. */
function crowdOf({ crowd }: TraceCompared): number {
  return Math.max(1, Math.round(crowd));
}

function CandidateColumn({ column, compared, clicks }: GridProps & { column: Column }) {
  const { candidate, start, signals, rivals, isRuledOut, letter, isWon, verdict } = column;
  const age = formatDuration(candidate.ageSeconds, 'short', 1);
  const first: Step = {
    word: `${age}, ${plural(crowdOf(compared), 'device')}`,
    more: '',
    from: null,
    to: start,
    direction: 'none',
  };
  const steps = [first, ...signals, ...(isRuledOut ? [] : [rivals])];
  const missing = ROWS.length - steps.length;
  return (
    <section aria-label={`Click ${letter}`} className={`min-w-0 ${isWon ? 'walk-won' : ''}`}>
      <ColumnHead column={column} clicks={clicks} />
      <div aria-hidden="true" className="walk-axis">
        <span style={{ left: 0 }}>0</span>
        <span className="-translate-x-1/2" style={{ left: `${compared.threshold * 100}%` }}>
          {toPercent(compared.threshold)}
        </span>
        <span className="-translate-x-1/2" style={{ left: '100%' }}>
          100 %
        </span>
      </div>
      {steps.map((step, index) => (
        <WalkCell
          key={ROWS[index]?.[0]}
          name={ROWS[index]?.[0] ?? ''}
          step={step}
          threshold={compared.threshold}
          place={
            index === 0 ? 'first' : index === steps.length - 1 ? (isRuledOut ? 'cross' : 'last') : 'middle'
          }
        />
      ))}
      {missing > 0 && (
        <div className="walk-rest" style={{ '--missing': missing }}>
          Nothing more to compare
        </div>
      )}
      <footer className="flex items-baseline gap-2.5 border-t border-line-strong pt-2.5">
        <span
          className={`min-w-[102px] text-figure font-semibold tracking-[-.02em] ${isWon ? 'text-accent' : 'text-ink-2'}`}
        >
          {formatProbability(candidate.probability)}
        </span>
        <span className={isWon ? 'font-semibold' : 'text-ink-2'}>{verdict}</span>
      </footer>
    </section>
  );
}

function ColumnHead({ column, clicks }: { column: Column; clicks: Clicks }) {
  const { appId } = route.useParams();
  const { candidate, repeats, letter, isWon, creditedId } = column;
  const click = clicks.get(candidate.clickId);
  const clickedAt = click?.clickedAt ?? timeOfId(candidate.clickId);
  const shortCode = click?.shortCode;
  return (
    <header
      className={`h-(--head) border-t-2 pt-2 max-wide:h-auto ${isWon ? 'border-accent' : 'border-line-control'}`}
    >
      <p className={`flex items-center gap-1.5 ${isWon ? 'text-accent' : ''}`}>
        <Mark kind="click" />
        <b>Click {letter}</b>
        {clickedAt !== null && (
          <span className="text-ink-2">
            <Time at={clickedAt} />
          </span>
        )}
      </p>
      <p className="meta truncate">
        {formatDuration(candidate.ageSeconds)} before
        {repeats.length > 0 && `, and ${plural(repeats.length, 'more click')} that may be this phone’s`}
      </p>
      <div className="meta">
        {shortCode != null ? (
          <Link to="/$appId/links/$shortCode" params={{ appId, shortCode }} className="link mono">
            /{shortCode}
          </Link>
        ) : clicks.has(candidate.clickId) ? (
          'link not kept'
        ) : (
          NOT_READ
        )}
      </div>
      {creditedId !== null && <Credited clickId={creditedId} clicks={clicks} />}
    </header>
  );
}

function Credited({ clickId, clicks }: { clickId: string; clicks: Clicks }) {
  const click = clicks.get(clickId);
  const clickedAt = click?.clickedAt ?? timeOfId(clickId);
  return (
    <p className="meta truncate">
      Credited: its click{' '}
      {clickedAt !== null && (
        <>
          of <Time at={clickedAt} />
        </>
      )}
      {click?.shortCode != null && ` on /${click.shortCode}`}
    </p>
  );
}

function WalkCell({
  name,
  step,
  threshold,
  place,
}: {
  name: string;
  step: Step;
  threshold: number;
  place: 'first' | 'middle' | 'last' | 'cross';
}) {
  const { word, more, from, to, direction } = step;
  const isMove = direction !== 'none';
  const showsNumber = to !== null && (place === 'first' || (isMove && place !== 'last'));
  return (
    <div className="walk-cell">
      <span className="walk-name meta">{name}</span>
      <span className="walk-words">
        <span className={isMove ? 'font-semibold' : ''}>{word}</span>
        {more !== '' && <span className="meta leading-[14px]!">{more}</span>}
      </span>
      <span className="walk-track">
        <svg
          viewBox="0 0 100 48"
          preserveAspectRatio="none"
          aria-hidden="true"
          className="absolute inset-0 size-full overflow-visible"
        >
          <path className="plot stroke-line-strong [stroke-dasharray:3_3]" d={`M${threshold * 100} 0V48`} />
          {to !== null && <path className="plot walk-line" d={pathOf(from, to, place)} />}
        </svg>
        {to !== null && (place !== 'middle' || isMove) && (
          <span aria-hidden="true" className={`walk-point walk-${place}`} style={{ left: `${to * 100}%` }} />
        )}
        {showsNumber && (
          <span
            className={`absolute z-1 ml-2 -translate-y-1/2 bg-surface px-0.5 text-meta/[18px] whitespace-nowrap text-ink-2 ${direction === 'left' ? 'top-[calc(50%+13px)]' : 'top-1/2'}`}
            style={{ left: `${to * 100}%` }}
          >
            {formatProbability(to)}
          </span>
        )}
      </span>
    </div>
  );
}

function pathOf(from: number | null, to: number, place: 'first' | 'middle' | 'last' | 'cross'): string {
  const end = (to * 100).toFixed(1);
  if (from === null) return `M${end} 24V48`;
  const ends = place === 'last' || place === 'cross' ? '' : 'V48';
  return `M${(from * 100).toFixed(1)} 0V24H${end}${ends}`;
}
