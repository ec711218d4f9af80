/** What the team spends on its campaigns, by day. */
import { listCosts } from '@generated/sdk.gen.ts';
import type { StoredCost } from '@generated/types.gen.ts';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/app-context.ts';
import { useRead } from '../../api/use-read.ts';
import { DayFilter } from '../../components/day-filter.tsx';
import { Empty, Head } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { Tag } from '../../components/tag.tsx';
import { only } from '../../search.ts';
import { formatNetwork } from '../../stats/networks.ts';
import { campaignOf, type OfCampaign } from './cost.ts';
import { CostForm } from './cost-form.tsx';
import { CostTable } from './cost-table.tsx';
import { RemoveShown } from './remove-shown.tsx';

const route = getRouteApi('/$appId/costs');
const PAGE = 50;

export function Costs() {
  const { appId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$appId/costs' });
  const mayEdit = useMay('editor');
  const { before: _, ...filter } = search;
  const { campaignId, network, networkCampaignId, ...days } = filter;
  const of = only('campaignId', 'network', 'networkCampaignId')(filter);
  const isOfCampaign = Object.keys(of).length > 0;
  const isNarrowed = Object.keys(filter).length > 0;
  const query = { limit: PAGE, ...search };
  const read = useRead(['costs', query], (client, signal) =>
    listCosts({ client, query, signal, throwOnError: true }),
  );
  return (
    <>
      <Head title="Costs">
        {isOfCampaign && <Tag text={tagOf(of, read.data)} onRemove={() => void navigate({ search: days })} />}
        {mayEdit && (
          <Link to="/$appId/costs/upload" params={{ appId }} className="btn ml-auto">
            Upload a CSV file
          </Link>
        )}
      </Head>
      <div className="pt-4">
        {mayEdit && <CostForm lastCurrency={read.data?.[0]?.cost.currency} />}
        <div className="flex flex-wrap items-center gap-3 py-3">
          <DayFilter {...days} onChange={(next) => void navigate({ search: { ...of, ...next } })} />
          {mayEdit && isNarrowed && (read.data?.length ?? 0) > 0 && <RemoveShown filter={filter} />}
        </div>
        <Pane read={read} rows={10}>
          {(costs) => (
            <>
              {costs.length === 0 ? (
                <NoCosts isNarrowed={Object.keys(search).length > 0} mayEdit={mayEdit} />
              ) : (
                <CostTable costs={costs} />
              )}
              {costs.length === PAGE && (
                <button
                  type="button"
                  className="btn mt-3"
                  onClick={() => void navigate({ search: { ...search, before: costs.at(-1)?.id } })}
                >
                  Older
                </button>
              )}
            </>
          )}
        </Pane>
      </div>
    </>
  );
}

function tagOf(of: OfCampaign, costs: readonly StoredCost[] = []): string {
  const { network = null, networkCampaignId = null } = of;
  if (network !== null && networkCampaignId === null) return `Network: ${formatNetwork(network)}`;
  // Of one network: two may have the same ID.
  const networkCampaignName = network === null ? null : (costs[0]?.networkCampaignName ?? null);
  return `Campaign: ${campaignOf({ ...of, networkCampaignName })}`;
}

function NoCosts({ isNarrowed, mayEdit }: { isNarrowed: boolean; mayEdit: boolean }) {
  const { appId } = route.useParams();
  if (isNarrowed)
    return (
      <Empty title="No costs here">
        <Link to="/$appId/costs" params={{ appId }} className="btn">
          Show all costs
        </Link>
      </Empty>
    );
  return (
    <Empty title="No costs yet">
      <p className="text-ink-2">
        With the costs of campaigns, of links or of ad networks, Overview shows what an install costs and what
        each campaign returns.{' '}
        {mayEdit
          ? 'Add a cost above, upload a file of an ad network or a spreadsheet, or let a server send costs with POST /v1/costs.'
          : 'Editors and owners of the app add costs.'}
      </p>
    </Empty>
  );
}
