/** Revenue of events, and money: exact amounts, whole numbers of ten-thousandths of a currency's unit. */
import { type Static, Type } from 'typebox';
import { Named, Text } from '../server/schemas.ts';

/** Digits of an amount before the point. */
const MAX_REVENUE_DIGITS = 12;
/** Digits after the point. */
const MAX_REVENUE_DECIMALS = 4;

/** Of one event; negative for a refund. */
export const Revenue = Named('Revenue', {
  amount: Text(
    `^-?[0-9]{1,${MAX_REVENUE_DIGITS}}(\\.[0-9]{1,${MAX_REVENUE_DECIMALS}})?$`,
    `a decimal such as 19.99, with a minus for a refund, of at most ${MAX_REVENUE_DIGITS} digits before and ${MAX_REVENUE_DECIMALS} after the point`,
  ),
  currency: Text(
    '^[A-Z]{3}$',
    'three capitals, as the codes of ISO 4217 such as EUR; any such code is stored, so that no purchase is lost to an old list',
  ),
});
export type Revenue = Static<typeof Revenue>;

/** Ten-thousandths by currency; no zeros. */
export type Money = ReadonlyMap<string, bigint>;

export const NO_MONEY: Money = new Map();

/** Money as answered: sorted by currency. */
export const MoneyList = Type.Array(
  Named('RevenueSum', {
    currency: Type.String({ description: 'ISO 4217' }),
    amount: Type.String({ description: 'A decimal, exact' }),
  }),
  { description: 'By currency' },
);

/** @param amount as in `Revenue`. */
export function toTenThousandths(amount: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(MAX_REVENUE_DECIMALS, '0')}`);
}

/** @param amount as in `Revenue`. */
export function isPositive(amount: string): boolean {
  return toTenThousandths(amount) > 0n;
}

/** With two decimals, or more where they are needed: `19.99`, `0.0125`. */
export function toDecimal(tenThousandths: bigint): string {
  const sign = tenThousandths < 0n ? '-' : '';
  const digits = String(tenThousandths < 0n ? -tenThousandths : tenThousandths);
  const padded = digits.padStart(MAX_REVENUE_DECIMALS + 1, '0');
  const fraction = padded.slice(-MAX_REVENUE_DECIMALS).replace(/0{1,2}$/, '');
  return `${sign}${padded.slice(0, -MAX_REVENUE_DECIMALS)}.${fraction}`;
}

export function addAmount(money: Map<string, bigint>, currency: string, amount: bigint): void {
  const sum = (money.get(currency) ?? 0n) + amount;
  if (sum === 0n) money.delete(currency);
  else money.set(currency, sum);
}

/** By currency, as JSON holds it. */
export type StoredMoney = Readonly<Record<string, string>>;

export function storeMoney(money: Money): StoredMoney {
  return Object.fromEntries([...money].map(([currency, amount]) => [currency, String(amount)]));
}

export function presentMoney(money: Money): Static<typeof MoneyList> {
  return [...money]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: toDecimal(amount) }));
}
