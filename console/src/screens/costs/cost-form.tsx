import { storeCosts } from '@generated/sdk.gen.ts';
import type { CostsStored, StoreCost } from '@generated/types.gen.ts';
import { type RefObject, useId, useRef, useState } from 'react';
import { useChange } from '../../api/use-change.ts';
import { useRefresh } from '../../api/use-read.ts';
import { Field } from '../../components/field.tsx';
import { Refusal } from '../../components/pane.tsx';
import { formatMoney } from '../../formats.ts';
import { formatCostDay, toAmount, yesterday } from './cost.ts';
import { useCampaigns } from './use-campaigns.ts';

/** One cost after the other: the day and the currency stay for the next. */
export function CostForm({ lastCurrency = 'EUR' }: { lastCurrency?: string | undefined }) {
  const form = useRef<HTMLFormElement>(null);
  const refresh = useRefresh();
  const [answer, setAnswer] = useState<{ stored: CostsStored; cost: StoreCost } | null>(null);
  const change = useChange(
    async (client, cost: StoreCost) =>
      (await storeCosts({ client, body: { costs: [cost] }, throwOnError: true })).data,
    (stored, cost) => {
      setAnswer({ stored, cost });
      if (stored.failed > 0) return;
      clearForNext(form);
      // Not awaited: until then the form would ignore the next cost.
      void Promise.all([refresh('costs'), refresh('stats')]);
    },
  );
  const wrong = wrongIn(answer?.stored);
  return (
    <form
      ref={form}
      className="border-b border-line pb-4"
      aria-label="Add a cost"
      onSubmit={(event) => {
        event.preventDefault();
        change.run(read(event.currentTarget));
      }}
    >
      <div className="grid grid-cols-[150px_minmax(0,1fr)_120px_80px_auto] items-start gap-3 max-wide:grid-cols-2 max-phone:grid-cols-1">
        <Field label="Day" name="date" type="date" defaultValue={yesterday()} required error={wrong.date} />
        <CampaignField error={wrong.campaignId} />
        <Field
          label="Cost"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          placeholder="120.50"
          maxLength={20}
          required
          error={wrong.amount}
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
          error={wrong.currency}
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
        {answer !== null && answer.stored.failed === 0 && <Stored {...answer} />}
        {wrong.other !== null && <p className="pt-2 text-bad">{wrong.other}</p>}
        <Refusal error={change.error} />
      </div>
    </form>
  );
}

function CampaignField({ error }: { error: string | null }) {
  const listId = useId();
  const campaigns = useCampaigns();
  return (
    <>
      <Field
        label="Campaign"
        name="campaignId"
        list={listId}
        autoComplete="off"
        maxLength={255}
        required
        error={error}
      />
      <datalist id={listId}>
        {campaigns.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function read(form: HTMLFormElement): StoreCost {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name)).trim();
  return {
    date: text('date'),
    campaignId: text('campaignId'),
    cost: { amount: toAmount(text('amount')), currency: text('currency').toUpperCase() },
  };
}

function clearForNext({ current: form }: RefObject<HTMLFormElement | null>): void {
  for (const name of ['amount', 'campaignId']) {
    const field = form?.elements.namedItem(name);
    if (!(field instanceof HTMLInputElement)) continue;
    field.value = '';
    field.focus();
  }
}

function Stored({ stored, cost }: { stored: CostsStored; cost: StoreCost }) {
  const what = `${formatMoney(cost.cost)} for ${cost.campaignId}, ${formatCostDay(cost.date)}`;
  const done =
    stored.created > 0 ? 'Added' : stored.replaced > 0 ? 'Replaced the former cost by' : 'Stored before:';
  return (
    <p className="meta pt-2">
      {done} {what}.
      {stored.unknownCampaigns.length > 0 &&
        ' No link has this campaign: is its name right, or do links follow?'}
    </p>
  );
}

const FIELDS = [
  ['date', /^date /],
  ['campaignId', /^campaignId /],
  ['amount', /^cost\.amount /],
  ['currency', /^cost\.currency /],
] as const;
type Wrong = Record<(typeof FIELDS)[number][0] | 'other', string | null>;

/** The service's words beside the field that they are about, without its name for it. */
function wrongIn(stored: CostsStored | undefined): Wrong {
  const wrong: Wrong = { date: null, campaignId: null, amount: null, currency: null, other: null };
  const message = stored?.failures[0]?.message;
  if (message === undefined) return wrong;
  const [name, start] = FIELDS.find(([, each]) => each.test(message)) ?? ['other' as const, null];
  wrong[name] = start === null ? message : capitalised(message.replace(start, ''));
  return wrong;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
