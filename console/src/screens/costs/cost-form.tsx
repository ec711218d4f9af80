import type { Client } from '@generated/client/index.ts';
import { storeCosts } from '@generated/sdk.gen.ts';
import type { CostsStored, StoreCost } from '@generated/types.gen.ts';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Field } from '../../components/field.tsx';
import { Form, FormRefusal } from '../../components/form.tsx';
import { formatMoney } from '../../formats.ts';
import { CampaignFields } from './campaign-fields.tsx';
import { campaignOf, formatCostDay, toAmount, yesterday } from './cost.ts';

/** One cost after the other: the day and the currency stay for the next. */
export function CostForm({ lastCurrency = 'EUR' }: { lastCurrency?: string | undefined }) {
  const fields = useRef<HTMLDivElement>(null);
  const refresh = useRefresh();
  const [campaignId, setCampaignId] = useState('');
  const [added, setAdded] = useState<{ stored: CostsStored; cost: StoreCost } | null>(null);
  const change = useChange(storeCost, (stored, cost) => {
    setAdded({ stored, cost });
    setCampaignId('');
    clearForNext(fields.current);
    // Not awaited: until then the form would ignore the next cost.
    void Promise.all([refresh('costs'), refresh('stats')]);
  });
  return (
    <Form
      error={change.error}
      className="border-b border-line pb-4"
      aria-label="Add a cost"
      onSubmit={(event) => {
        event.preventDefault();
        setAdded(null);
        change.run(read(event.currentTarget));
      }}
    >
      <div
        ref={fields}
        className="grid grid-cols-[150px_130px_minmax(0,1fr)_120px_80px_auto] items-start gap-3 max-wide:grid-cols-2 max-phone:grid-cols-1"
      >
        <Field label="Day" name="date" type="date" defaultValue={yesterday()} required />
        <CampaignFields campaignId={campaignId} onChange={setCampaignId} />
        <Field
          label="Cost"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder="120.50"
          maxLength={20}
          required
        />
        {/* Another one only before anything was typed. */}
        <Field
          key={lastCurrency}
          label="Currency"
          name="currency"
          className="input uppercase"
          defaultValue={lastCurrency}
          autoComplete="off"
          minLength={3}
          maxLength={3}
          required
        />
        <button
          type="submit"
          className="btn btn-main justify-self-start wide:mt-[26px]"
          aria-disabled={change.isRunning}
        >
          Add cost
        </button>
      </div>
      <div role="status" className="empty:hidden">
        {added !== null && <Stored {...added} />}
        <FormRefusal error={change.error} />
      </div>
    </Form>
  );
}

/** @throws what is wrong with it as a refusal, whose text begins with the name of its field. */
async function storeCost(client: Client, cost: StoreCost): Promise<CostsStored> {
  const { data } = await storeCosts({ client, body: { costs: [cost] }, throwOnError: true });
  const [failure] = data.failures;
  if (failure !== undefined) throw new ApiError(failure.message.replace(/^cost\./, ''), 'request.invalid');
  return data;
}

function read(form: HTMLFormElement): StoreCost {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name)).trim();
  const network = text('network');
  return {
    date: text('date'),
    ...(network === ''
      ? { campaignId: text('campaignId') }
      : { network, networkCampaignId: text('networkCampaignId') }),
    cost: { amount: toAmount(text('amount')), currency: text('currency').toUpperCase() },
  };
}

function clearForNext(fields: HTMLElement | null): void {
  const amount = fields?.querySelector<HTMLInputElement>('[name=amount]');
  if (amount != null) amount.value = '';
  fields?.querySelector<HTMLElement>('[name=campaignId], [name=networkCampaignId]')?.focus();
}

function Stored({ stored, cost }: { stored: CostsStored; cost: StoreCost }) {
  const what = `${formatMoney(cost.cost)} for ${campaignOf(cost)}, ${formatCostDay(cost.date)}`;
  const done =
    stored.created > 0 ? 'Added' : stored.replaced > 0 ? 'Replaced the former cost by' : 'Stored before:';
  return (
    <p className="meta pt-2">
      {done} {what}.
      {stored.unknownCampaigns.length > 0 &&
        (cost.network == null
          ? ' No link has this campaign yet: check its name, or make the link.'
          : ' No network names its campaigns so: check the network, and that the ID is digits alone.')}
    </p>
  );
}
