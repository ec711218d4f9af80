/** `/v1/costs`. */
import { type Static, Type } from 'typebox';
import { days } from '../../server/days.ts';
import { Id, Named, Nullable, OnlyThese, Text, Timestamp } from '../../server/schemas.ts';
import { toNetworkCampaign } from '../dimensions.ts';
import type { CostRow } from './cost.ts';

/** Of a JSON body. */
export const MAX_COSTS = 1_000;
/** Of a CSV file: parsing as many takes about 50 ms of the event loop. */
export const MAX_CSV_ROWS = 5_000;
/** Of an app, live and sandbox. */
export const MAX_STORED_COSTS = 200_000;
export const MAX_UPLOAD_BYTES = 1024 * 1024;

const Campaign = Type.String({ minLength: 1, maxLength: 255 });
const Network = Text('^[a-z][a-z0-9_]{0,63}$', 'the name of a network in lower case, such as apple_ads');

const Cost = Named('Cost', {
  amount: Text(
    '^[0-9]{1,12}(\\.[0-9]{1,4})?$',
    'a decimal number such as 19.99, with at most 12 digits before and 4 after the point, without a minus and separators of thousands',
  ),
  currency: Text('^[A-Z]{3}$', 'three capitals, as the codes of ISO 4217 such as EUR'),
});

/** Nullable, so that a cost that was read can be written back. */
export const StoreCost = Named('StoreCost', {
  date: Type.String({ maxLength: 64, description: 'Such as 2026-01-31, whatever the time zone' }),
  campaignId: Type.Optional(Nullable(Campaign, { description: 'As of links' })),
  network: Type.Optional(Nullable(Network)),
  networkCampaignId: Type.Optional(
    Nullable(Campaign, { description: 'With `network`, in place of `campaignId`' }),
  ),
  cost: Cost,
});
export type StoreCost = Static<typeof StoreCost>;

/** Each cost is checked by itself, so that a wrong one does not fail the others. */
export const StoreCosts = Type.Object({
  costs: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_COSTS }),
});
export const DocumentedCosts = Named('StoreCosts', {
  costs: Type.Array(StoreCost, { minItems: 1, maxItems: MAX_COSTS }),
});

export const StoreCostsQuery = OnlyThese({
  dryRun: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description: '`true` stores nothing: what would be done',
    }),
  ),
});

const Day = Type.String({ description: 'Such as 2026-01-31' });
const NullableText = Nullable(Type.String());
const costFields = {
  date: Day,
  campaignId: NullableText,
  network: NullableText,
  networkCampaignId: NullableText,
  networkCampaignName: Nullable(Type.String(), {
    description: 'As the network told it last with an install; null if it told none',
  }),
  cost: Named('CostAmount', {
    amount: Type.String({ description: 'A decimal, exact' }),
    currency: Type.String(),
  }),
};
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Row = Type.Integer({
  minimum: 1,
  description: 'The place in `costs` from 1 on, or the line of the file',
});
const OUTCOMES = ['created', 'replaced', 'unchanged'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const CostsStored = Named('CostsStored', {
  created: Count('Costs that are new'),
  replaced: Count('Costs that had another amount'),
  unchanged: Count('Costs that had this amount'),
  failed: Count('Rows that were not stored'),
  failures: Type.Array(Named('CostFailure', { row: Row, message: Type.String() })),
  unknownCampaigns: Type.Array(Type.String(), {
    description:
      'Stored, though no link has had them: a slip, or links that are yet to come. Of networks such as `facebook 654321`: a network that claims no installs, or an ID that is not digits alone',
  }),
  ignoredColumns: Type.Array(Type.String(), { description: 'Of a CSV file' }),
  costs: Type.Optional(
    Type.Array(Named('CostPreview', { row: Row, outcome: Type.Enum([...OUTCOMES]), ...costFields }), {
      description: 'With `dryRun`: what was understood, at most the first 100',
    }),
  ),
});
export type CostsStored = Static<typeof CostsStored>;

/** Which costs are listed, or deleted. */
const costFilters = {
  campaignId: Type.Optional(
    Type.String({ maxLength: 255, description: 'Empty for costs without one, which are those of networks' }),
  ),
  network: Type.Optional(Network),
  networkCampaignId: Type.Optional(
    Type.String({ maxLength: 255, description: 'Of any network, or of `network`' }),
  ),
};

export const ListCosts = OnlyThese({
  ...days,
  ...costFilters,
  sandbox: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true for costs that test keys stored; the default is false, and true for a test key',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'The `id` of the last cost of the previous page' }),
  ),
});

export const DeleteCosts = OnlyThese({
  ...days,
  ...costFilters,
  sandbox: ListCosts.properties.sandbox,
  dryRun: Type.Optional(
    Type.Enum(['true', 'false'], {
      default: 'false',
      description: '`true` deletes nothing: how many would be deleted',
    }),
  ),
  confirm: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_STORED_COSTS,
      description: 'How many costs are to be deleted, as `dryRun` answers it',
    }),
  ),
});
export const CostsDeleted = Named('CostsDeleted', { deleted: Count('Costs') });

export const StoredCost = Named('StoredCost', {
  id: Id,
  ...costFields,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

type Fields = Pick<CostRow, 'day' | 'network' | 'campaign_id' | 'amount' | 'currency'>;

export function presentFields({ day: date, network, campaign_id, amount, currency }: Fields) {
  const isOwn = network === '';
  return {
    date,
    campaignId: isOwn ? campaign_id : null,
    network: isOwn ? null : network,
    networkCampaignId: isOwn ? null : campaign_id,
    cost: { amount, currency },
  };
}

/** @param names of campaigns of networks, by `toNetworkCampaign`. */
export function presentNamed(cost: Fields, names: ReadonlyMap<string, string>) {
  const name = names.get(toNetworkCampaign(cost.network, cost.campaign_id));
  return { ...presentFields(cost), networkCampaignName: name ?? null };
}

/** @param names as of `presentNamed`. */
export function presentCost(row: CostRow, names: ReadonlyMap<string, string>): Static<typeof StoredCost> {
  const { id, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, ...presentNamed(row, names), createdAt, updatedAt };
}
