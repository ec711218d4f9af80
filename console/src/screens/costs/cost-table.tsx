import { deleteCost } from '@generated/sdk.gen.ts';
import type { StoredCost } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/app-context.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoney } from '../../formats.ts';
import { campaignOf, formatCostDay } from './cost.ts';
import { CostCampaign } from './cost-campaign.tsx';

const route = getRouteApi('/$appId/costs');

export function CostTable({ costs }: { costs: readonly StoredCost[] }) {
  const mayEdit = useMay('editor');
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Campaign</th>
          <th scope="col" className="num">
            Cost
          </th>
          <th scope="col">Stored</th>
          {mayEdit && (
            <th scope="col" className="num">
              <span className="sr-only">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {costs.map((cost) => (
          <tr key={cost.id}>
            <td className="whitespace-nowrap">{formatCostDay(cost.date)}</td>
            <td data-name="Campaign" className="break-words">
              <Campaign {...cost} />
            </td>
            <td data-name="Cost" className="num whitespace-nowrap">
              {formatMoney(cost.cost)}
            </td>
            <td data-name="Stored">
              <Time at={cost.updatedAt} seconds={false} />
            </td>
            {mayEdit && (
              <td className="num">
                <Remove cost={cost} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Campaign(cost: StoredCost) {
  const { campaignId, network, networkCampaignId } = cost;
  const { appId } = route.useParams();
  const search =
    campaignId === null
      ? { network: network ?? '', networkCampaignId: networkCampaignId ?? '' }
      : { campaignId };
  return (
    <Link to="/$appId/costs" params={{ appId }} search={search} className="link">
      <CostCampaign {...cost} />
    </Link>
  );
}

function Remove({ cost }: { cost: StoredCost }) {
  const [isOpen, setOpen] = useState(false);
  const refresh = useRefresh();
  const change = useChange<void, unknown>(
    (client) => deleteCost({ client, path: { id: cost.id }, throwOnError: true }),
    async () => {
      setOpen(false);
      await Promise.all([refresh('costs'), refresh('stats')]);
    },
  );
  const name = `${formatMoney(cost.cost)} for ${campaignOf(cost)}, ${formatCostDay(cost.date)}`;
  return (
    <>
      <button type="button" className="link" aria-label={`Delete ${name}`} onClick={() => setOpen(true)}>
        Delete
      </button>
      <Confirm
        title="Delete this cost?"
        action="Delete cost"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        change={change}
      >
        <b className="break-words">{name}.</b> Statistics no longer count it.
      </Confirm>
    </>
  );
}
