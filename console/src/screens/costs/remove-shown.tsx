import { deleteCosts } from '@generated/sdk.gen.ts';
import { useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Refusal } from '../../components/pane.tsx';
import { plural } from '../../formats.ts';
import { campaignOf } from './cost.ts';

interface CostFilter {
  readonly campaignId?: string;
  readonly network?: string;
  readonly networkCampaignId?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Deletes all costs of a filter, those of further pages too, once their number was seen. */
export function RemoveShown({ filter }: { filter: CostFilter }) {
  const [found, setFound] = useState<number | null>(null);
  const refresh = useRefresh();
  const count = useChange<void, number>(
    async (client) =>
      (await deleteCosts({ client, query: { ...filter, dryRun: 'true' }, throwOnError: true })).data.deleted,
    setFound,
  );
  const remove = useChange<void, unknown>(
    (client) => deleteCosts({ client, query: { ...filter, confirm: found ?? 0 }, throwOnError: true }),
    async () => {
      setFound(null);
      await Promise.all([refresh('costs'), refresh('stats')]);
    },
  );
  const number = plural(found ?? 0, 'cost');
  return (
    <>
      <button
        type="button"
        className="btn"
        aria-disabled={count.isRunning}
        onClick={() => {
          remove.reset();
          count.run();
        }}
      >
        Delete these
      </button>
      <Refusal error={count.error} />
      <Confirm
        title={`Delete ${number}?`}
        action={`Delete ${number}`}
        keep="Keep them"
        isOpen={found !== null}
        onClose={() => setFound(null)}
        change={remove}
      >
        <p className="break-words">
          All {described(filter)}, also those of further pages. Statistics no longer count them.
        </p>
      </Confirm>
    </>
  );
}

function described({ from, to, ...of }: CostFilter): string {
  const days = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
  const campaign = Object.keys(of).length === 0 ? '' : ` of ${campaignOf(of)}`;
  return `costs${campaign}${days === '' ? '' : ` ${days}`}`;
}
