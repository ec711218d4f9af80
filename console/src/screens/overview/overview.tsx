/** The numbers of an app over a period, compared with the one before. */

import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { COLUMN_NAMES, columnOf } from '../../stats/columns.ts';
import { isAhead, periodOf } from '../../stats/period.ts';
import { NotYet, Unread } from '../../stats/period-notes.tsx';
import { Chart } from './chart.tsx';
import { FilterBar } from './filter-bar.tsx';
import { Lists } from './lists.tsx';
import { ComparedWith, Kept, Younger } from './notes.tsx';
import { columnsOf, hasFilters, type OverviewSearch } from './overview-search.ts';
import { hasAnything } from './sort-groups.ts';
import { chosenOf, namesOf, Strip } from './strip.tsx';
import { type OverviewStats, useOverview } from './use-stats.ts';

const route = getRouteApi('/$appId/');
/** Where all of these are zero, nothing has happened. */
const OF_RECORDS = ['clicks', 'installs', 'opens', 'events'] as const;

const HostProblems = lazy(async () => ({ default: (await import('./host-problems.tsx')).HostProblems }));
/** Loaded where there are no records only. */
const Beginning = lazy(async () => ({ default: (await import('./beginning.tsx')).Beginning }));
export function Overview() {
  const search = route.useSearch();
  const period = periodOf(search);
  return (
    <>
      <Head title="Overview">
        <FilterBar search={search} />
      </Head>
      <Unread search={search} />
      {isAhead(period) ? <NotYet period={period} search={search} /> : <Numbers search={search} />}
    </>
  );
}

function Numbers({ search }: { search: OverviewSearch }) {
  const stats = useOverview(search);
  const shown = (data: OverviewStats) => [...namesOf(data), ...columnsOf(search).names];
  return (
    <>
      {stats.data !== undefined && (
        <Suspense>
          <HostProblems />
        </Suspense>
      )}
      <div className="overview-top">
        <Pane read={stats} rows={12}>
          {(data) => {
            const chosen = chosenOf(search, data);
            const isEmpty = ![data.totals, data.previous].some((each) => hasAnything(each, OF_RECORDS));
            return (
              <>
                {isEmpty && (
                  <Suspense>
                    <Beginning isFiltered={hasFilters(search)} />
                  </Suspense>
                )}
                <ComparedWith stats={data} />
                <Strip stats={data} chosen={chosen} search={search} />
                <Younger names={COLUMN_NAMES.filter((name) => shown(data).includes(name))} />
                <Chart stats={data} column={columnOf(chosen.name)} currency={chosen.currency} />
              </>
            );
          }}
        </Pane>
      </div>
      <Lists search={search} overview={stats} />
      <Kept />
    </>
  );
}
