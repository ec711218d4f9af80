/** Metrics of costs, and what they give together with counts. */
import { type Static, Type } from 'typebox';
import { Named } from '../../server/schemas.ts';
import { type Counts, countOf, moneyOf } from '../add-counts.ts';
import type { SpendName } from '../counts.ts';
import { type Money, MoneyList, presentMoney } from '../revenue.ts';

const ABSENT =
  'Absent where costs are not known: by hour, and of anything but the app, its campaigns and networks';

const ReturnList = Type.Array(
  Named('Return', {
    currency: Type.String({ description: 'ISO 4217' }),
    ratio: Type.Number({ description: 'At most four decimals' }),
  }),
  {
    description: `cohortRevenue of installs that a link or a network brought / cost, by currency; only of currencies with a cost. ${ABSENT}`,
  },
);

export const spendFields = {
  cost: Type.Optional({ ...MoneyList, description: `By currency. ${ABSENT}` }),
  costPerInstall: Type.Optional({
    ...MoneyList,
    description: `cost / installs that a link or a network brought, by currency, with at most four decimals; empty without such installs. ${ABSENT}`,
  }),
  returnOnAdSpend: Type.Optional(ReturnList),
} satisfies Record<SpendName, unknown>;

type Spend = { [N in SpendName]?: Static<(typeof spendFields)[N]> };

/** Nothing where costs are not known. */
export function presentSpend(counts: Counts): Spend {
  const { cost } = counts;
  if (cost === undefined) return {};
  const currencies = [...cost.keys()].sort();
  return {
    cost: presentMoney(cost),
    costPerInstall: presentMoney(perInstall(counts, cost)),
    returnOnAdSpend: currencies.flatMap((currency) => {
      const ratio = returnOf(counts, cost, currency);
      return ratio === null ? [] : { currency, ratio };
    }),
  };
}

/** Rounded to ten-thousandths. */
function perInstall(counts: Counts, cost: Money): Money {
  const installs = BigInt(countOf(counts, 'installs') - (counts.organic?.installs ?? 0));
  if (installs <= 0n) return new Map();
  const each = [...cost].map(
    ([currency, amount]) => [currency, (amount * 2n + installs) / (installs * 2n)] as const,
  );
  return new Map(each);
}

/** Null without a cost. */
function returnOf(counts: Counts, cost: Money, currency: string): number | null {
  const spent = cost.get(currency) ?? 0n;
  if (spent <= 0n) return null;
  const organic = counts.organic?.revenue.get(currency) ?? 0n;
  const earned = (moneyOf(counts, 'cohortRevenue').get(currency) ?? 0n) - organic;
  return Math.round((Number(earned) / Number(spent)) * 10_000) / 10_000;
}

/** For a sort: in one currency; least where there is none. */
export function sizeOfSpend(name: SpendName, currency: string): (counts: Counts) => number {
  return (counts) => {
    const { cost } = counts;
    if (cost === undefined) return -Infinity;
    if (name === 'returnOnAdSpend') return returnOf(counts, cost, currency) ?? -Infinity;
    if (name === 'cost') return Number(cost.get(currency) ?? 0n);
    const each = perInstall(counts, cost).get(currency);
    return each === undefined ? -Infinity : Number(each);
  };
}
