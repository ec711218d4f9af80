/** Sums of money, exact: amounts are whole numbers of ten-thousandths of a currency's unit. */

export interface Revenue {
  /** A decimal, at most 12 digits before and 4 after the point; negative for a refund. */
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** Ten-thousandths by currency. */
export type Sums = ReadonlyMap<string, bigint>;

const DIGITS = 4;

/** @param amount as in `Revenue`. */
export function toTenThousandths(amount: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(DIGITS, '0')}`);
}

/** With two decimals, or more where they are needed: `19.99`, `0.0125`. */
export function toDecimal(tenThousandths: bigint): string {
  const sign = tenThousandths < 0n ? '-' : '';
  const digits = String(tenThousandths < 0n ? -tenThousandths : tenThousandths).padStart(DIGITS + 1, '0');
  const fraction = digits.slice(-DIGITS).replace(/0{1,2}$/, '');
  return `${sign}${digits.slice(0, -DIGITS)}.${fraction}`;
}

export const NO_SUMS: Sums = new Map();

export function addSums(sums: Sums, more: Iterable<readonly [string, bigint]>): Sums {
  const added = new Map(sums);
  for (const [currency, amount] of more) {
    const sum = (added.get(currency) ?? 0n) + amount;
    if (sum === 0n) added.delete(currency);
    else added.set(currency, sum);
  }
  return added;
}

/** By currency, as JSON holds it. */
export type SumsRecord = Record<string, string>;

export function toRecord(sums: Sums): SumsRecord {
  return Object.fromEntries([...sums].map(([currency, amount]) => [currency, String(amount)]));
}

export function fromRecord(record: SumsRecord | null | undefined): Sums {
  if (!record) return NO_SUMS;
  return new Map(Object.entries(record).map(([currency, amount]) => [currency, BigInt(amount)]));
}

/** Sorted by currency. */
export function presentSums(sums: Sums): Revenue[] {
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: toDecimal(amount) }));
}
