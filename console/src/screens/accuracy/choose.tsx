import type { AccuracyPoint } from '@generated/types.gen.ts';
import { useMay } from '../../api/app-context.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Section } from '../../components/page.tsx';
import { Refusal } from '../../components/pane.tsx';
import { formatCount, formatShare, plural } from '../../formats.ts';
import { useUpdate } from './use-update.ts';
import { formatAmount, formatInterval, formatThreshold } from './words.ts';

interface ChooseProps {
  /** What the slider is at. */
  readonly point: AccuracyPoint;
  /** Of the app. */
  readonly threshold: number;
  readonly compared: number;
  readonly onChoose: (threshold: number) => void;
}

/** A slider over the thresholds, with what each gives; owners of the app save it. */
export function Choose(props: ChooseProps) {
  const { point, threshold, onChoose } = props;
  return (
    <Section title="Threshold">
      <label className="mt-3 flex max-w-[560px] items-baseline justify-between gap-3" htmlFor="threshold">
        <span>A click is matched from this probability on</span>
        <output htmlFor="threshold" className="text-head font-semibold">
          {formatThreshold(point.threshold)}
        </output>
      </label>
      <input
        id="threshold"
        type="range"
        className="slider mt-1 block w-full max-w-[560px]"
        min={50}
        max={99}
        value={Math.round(point.threshold * 100)}
        aria-valuetext={textOf(point)}
        onChange={(event) => onChoose(Number(event.currentTarget.value) / 100)}
      />
      <Counts point={point} />
      <Change {...props} />
      <Save point={point} threshold={threshold} onChoose={onChoose} />
    </Section>
  );
}

/** Said at each step of the slider. */
function textOf({ threshold, precision, enough }: AccuracyPoint): string {
  const share =
    precision === null || !enough ? 'too few matches to say' : `${formatShare(precision.value)} right`;
  return `${formatThreshold(threshold)}, ${share}`;
}

function Counts({ point: { right, wrong, none, precision, coverage, enough } }: { point: AccuracyPoint }) {
  return (
    <Facts>
      <Fact name="Right">{formatCount(right)}</Fact>
      <Fact name="Wrong">{formatCount(wrong)}</Fact>
      <Fact name="None">{formatCount(none)}</Fact>
      <Fact name="Right of the matched">
        {precision === null
          ? 'No matches'
          : `${formatShare(precision.value)} (${formatInterval(precision)})${enough ? '' : ', too few to say'}`}
      </Fact>
      <Fact name="Matched of all">
        {coverage === null
          ? 'No certain installs'
          : `${formatShare(coverage.value)} (${formatInterval(coverage)})`}
      </Fact>
    </Facts>
  );
}

/** What the threshold would have done to installs that only the fingerprint could match. */
function Change({ point: { matched, change }, threshold, compared }: ChooseProps) {
  const { installs, wrong, wrongByConfidence } = change;
  const all = `of ${plural(compared, 'install')} without a certain match`;
  if (installs === 0)
    return (
      <p className="max-w-[72ch] pt-4">
        In the last 30 days it would have matched <b>{formatCount(matched)}</b> {all}
        {`, as many as with ${formatThreshold(threshold)}, which the app has.`}
      </p>
    );
  const number = formatCount(Math.abs(installs));
  return (
    <p className="max-w-[72ch] pt-4">
      In the last 30 days it would have matched <b>{formatCount(matched)}</b> {all}:{' '}
      <b>
        {number} {installs > 0 ? 'more' : 'fewer'}
      </b>{' '}
      than with {formatThreshold(threshold)}. Of these {number}, the fingerprint’s own probabilities expect
      about {formatAmount(wrongByConfidence)} to be wrong
      {wrong !== null &&
        `; if they are as the certain installs between both thresholds, ${formatAmount(wrong.value)} (${formatAmount(wrong.low)} to ${formatAmount(wrong.high)})`}
      .
    </p>
  );
}

function Save({ point, threshold, onChoose }: Omit<ChooseProps, 'compared'>) {
  const isOwner = useMay('owner');
  const change = useUpdate();
  const isSame = point.threshold === threshold;
  return (
    <div className="flex flex-wrap items-center gap-2 pt-4">
      {isOwner ? (
        <button
          type="button"
          className="btn btn-main"
          aria-disabled={isSame || change.isRunning}
          onClick={() => !isSame && change.run({ fingerprintThreshold: point.threshold })}
        >
          {isSame ? `${formatThreshold(threshold)} is saved` : `Save ${formatThreshold(point.threshold)}`}
        </button>
      ) : (
        <p className="meta">Owners of the app save another threshold than {formatThreshold(threshold)}.</p>
      )}
      {!isSame && (
        <button type="button" className="btn" onClick={() => onChoose(threshold)}>
          Back to {formatThreshold(threshold)}
        </button>
      )}
      <div className="basis-full empty:hidden">
        <Refusal error={change.error} />
      </div>
    </div>
  );
}
