import type { Link as AppLink } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Mark, type RecordKind } from '../../components/mark.tsx';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { SeriesChart } from '../../components/series-chart.tsx';
import { formatCount, formatDay, formatMoney } from '../../formats.ts';
import { formatChange, mainCurrency } from '../../stats/metrics.ts';
import { periodOf } from '../../stats/period.ts';
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
      <div className="min-h-[254px]">
        <Pane read={read} rows={7}>
          {(stats) => (
            <>
              <Figures stats={stats} />
              <LinkChart stats={stats} />
            </>
          )}
        </Pane>
      </div>
    </Section>
  );
}

type LinkStats = StatsWith<'totals' | 'previous' | 'series'>;

function Figures({ stats: { totals, previous } }: { stats: LinkStats }) {
  const change = formatChange(totals.clicks, previous.clicks, 'clicks');
  const sign = change === null ? '' : { up: '↗', down: '↘', same: '→' }[change.direction];
  const currency = mainCurrency(totals.revenue);
  const revenue = totals.revenue.find((sum) => sum.currency === currency);
  const inHundred = totals.clicks === 0 ? null : Math.round((totals.installs / totals.clicks) * 100);
  return (
    <div className="grid grid-cols-4 gap-4 pt-3 max-phone:grid-cols-2">
      <Figure
        name="Clicks"
        kind="click"
        value={formatCount(totals.clicks)}
        more={
          change === null ? 'nothing before' : `${sign} ${change.text} from ${formatCount(previous.clicks)}`
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
      <Figure
        name="Revenue"
        value={revenue === undefined ? '0' : formatMoney(revenue, 0)}
        more={
          revenue === undefined || totals.installs === 0
            ? ''
            : `${formatMoney({ ...revenue, amount: String(Number(revenue.amount) / totals.installs) })} an install`
        }
      />
    </div>
  );
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
      <p className="text-figure font-semibold tracking-[-.02em]">{value}</p>
      <p className="meta">{more}</p>
    </div>
  );
}

function LinkChart({ stats: { series } }: { stats: LinkStats }) {
  const last = series.length - 1;
  return (
    <div className="pt-8">
      <SeriesChart
        label="Clicks and installs by day"
        className="h-[112px]"
        now={{ name: 'Clicks', values: series.map(({ clicks }) => clicks) }}
        before={null}
        second={{ name: 'Installs', values: series.map(({ installs }) => installs) }}
        names={series.map(({ at }) => [
          formatDay(at, { weekday: 'short', day: 'numeric', month: 'short' }),
          '',
        ])}
        ticks={[
          [0, formatDay(series[0]?.at ?? '')],
          [last, 'Today, so far'],
        ]}
        isOpen
        format={formatCount}
      />
    </div>
  );
}
