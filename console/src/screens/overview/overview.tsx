/** The numbers of an app over a period, compared with the one before. */
import { getRouteApi } from '@tanstack/react-router';
import { Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { METRICS, mainCurrency } from '../../stats/metrics.ts';
import { Chart } from './chart.tsx';
import { FilterBar } from './filter-bar.tsx';
import { CampaignList, CountryList, LinkList, MethodList } from './lists.tsx';
import { Strip } from './strip.tsx';
import { useOverview } from './use-stats.ts';

const route = getRouteApi('/$appId/');

export function Overview() {
  const search = route.useSearch();
  const stats = useOverview(search);
  const metric = METRICS.find((name) => name === search.metric) ?? 'clicks';
  return (
    <>
      <Head title="Overview">
        <FilterBar search={search} />
      </Head>
      <div className="min-h-[561px] phone:min-h-[510px] wide:min-h-[413px]">
        <Pane read={stats} rows={12}>
          {(data) => {
            const currency = mainCurrency(data.totals.revenue);
            return (
              <>
                <Strip stats={data} metric={metric} currency={currency} search={search} />
                <Chart stats={data} metric={metric} currency={currency} />
              </>
            );
          }}
        </Pane>
      </div>
      <div className="grid grid-cols-2 gap-x-12 max-phone:grid-cols-1">
        <LinkList search={search} overview={stats} />
        <CampaignList search={search} overview={stats} />
        <CountryList search={search} overview={stats} />
        <MethodList search={search} overview={stats} />
      </div>
    </>
  );
}
