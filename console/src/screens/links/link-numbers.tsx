import type { Link as AppLink, StatsMetrics } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartKey } from '../../components/chart-key.tsx';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { SeriesChart } from '../../components/series-chart.tsx';
import { formatCount } from '../../formats.ts';
import { changeOf, formatAmount } from '../../stats/amounts.ts';
import { COLUMNS, type Column } from '../../stats/columns.ts';
import { periodOf } from '../../stats/period.ts';
import { formatPrevious, intervalNames, isOpen, ticksOf } from '../../stats/time.ts';
import { type StatsWith, useStats } from '../../stats/use-stats.ts';

const route = getRouteApi('/$appId/links/$shortCode');

/** The last 28 days. */
export function LinkNumbers({ link }: { link: AppLink }) {
  const { appId, shortCode } = route.useParams();
  const sandbox = link.sandbox ? { sandbox: 'true' as const } : {};
  const query = { ...periodOf({}), shortCode, ...sandbox };
  const read = useStats(query, ['totals', 'previous', 'series']);
  return (
    <Section
      title="Last 28 days"
      aside={
        <Link
          to="/$appId"
          params={{ appId }}
          search={{ shortCode, ...sandbox }}
          className="meta hover:text-ink"
        >
          Open in Overview
        </Link>
      }
    >
      <div className="min-h-[290px]">
        <Pane read={read} rows={7}>
          {(stats) => (
            <>
              <Figures stats={stats} />
              <LinkChart stats={stats} />
              <p className="meta">
                Compared with {formatPrevious(stats.previous)}. Days of {stats.timezone}.
              </p>
            </>
          )}
        </Pane>
      </div>
    </Section>
  );
}

type LinkStats = StatsWith<'totals' | 'previous' | 'series'>;

function Figures({ stats: { totals, previous } }: { stats: LinkStats }) {
  const change = changeOf({ now: totals.clicks, before: previous.clicks }, 'count');
  const sign = change === null ? '' : { up: '↗', down: '↘', same: '→' }[change.direction];
  const inHundred = totals.clicks === 0 ? null : Math.round((totals.installs / totals.clicks) * 100);
  return (
    <div className="grid grid-cols-4 gap-4 pt-3 max-phone:grid-cols-2">
      <Figure
        name="Clicks"
        kind="click"
        value={formatCount(totals.clicks)}
        more={
          change === null || change.text === 'new'
            ? 'nothing before'
            : `${sign} ${change.text} from ${formatCount(previous.clicks)}`
        }
      />
      <Figure
        name="Installs"
        kind="install"
        value={formatCount(totals.installs)}
        more={inHundred === null ? '' : `${inHundred} in 100 clicks`}
      />
      <Figure
        name="Opens"
        kind="open"
        value={formatCount(totals.opens)}
        more={`${formatCount(totals.directOpens)} by the link itself`}
      />
      <Figure name="Revenue" value={revenueOf(totals, COLUMNS.revenue)} more={ofInstalls(totals)} />
    </div>
  );
}

/** Every currency by itself. */
function revenueOf(numbers: StatsMetrics, { unit, amountsOf, ...column }: Column): string {
  const amounts = amountsOf(numbers);
  if (amounts.length === 0) return '0';
  return amounts.map((amount) => formatAmount(amount, unit, column.digits)).join(' and ');
}

function ofInstalls(numbers: StatsMetrics): string {
  if (numbers.installs === 0 || numbers.cohortRevenue.length === 0) return '';
  return `${revenueOf(numbers, COLUMNS.revenuePerInstall)} for an install`;
}

function Figure({
  name,
  kind,
  value,
  more,
}: {
  name: string;
  kind?: RecordKind;
  value: string;
  more: string;
}) {
  return (
    <div className="min-w-0">
      <p className="flex items-center gap-1.5 text-ink-2">
        {kind !== undefined && <Mark kind={kind} />}
        {name}
      </p>
      <p className="text-figure font-semibold tracking-[-.02em] wrap-anywhere">{value}</p>
      <p className="meta">{more}</p>
    </div>
  );
}

function LinkChart({ stats }: { stats: LinkStats }) {
  const { series } = stats;
  return (
    <figure className="pt-6">
      <figcaption className="meta flex flex-wrap gap-x-5 gap-y-1 pb-[22px]">
        <ChartKey line="accent">Clicks</ChartKey>
        <ChartKey line="ink">Installs</ChartKey>
      </figcaption>
      <SeriesChart
        label="Clicks and installs by day"
        className="h-[112px]"
        now={{ name: 'Clicks', values: series.map(({ clicks }) => clicks) }}
        before={null}
        second={{ name: 'Installs', values: series.map(({ installs }) => installs) }}
        names={intervalNames(stats).map((name) => [name, ''])}
        ticks={ticksOf(stats)}
        isOpen={isOpen(series)}
        format={formatCount}
      />
    </figure>
  );
}
