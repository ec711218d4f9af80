/** Sums of money by currency, without the rounding of floating point; pure. */

/** Digits behind the point that the service keeps. */
const DECIMALS = 4;

/** Ten-thousandths by currency. */
export type Sums = ReadonlyMap<string, bigint>;

export function add(sums: Sums, { amount, currency }: { amount: string; currency: string }): Sums {
  const [whole = '', fraction = ''] = amount.split('.');
  const added = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return new Map([...sums, [currency, (sums.get(currency) ?? 0n) + added]]);
}

/** The largest first. */
export function toMoney(sums: Sums): { amount: string; currency: string }[] {
  return [...sums]
    .toSorted(([, one], [, other]) => (one < other ? 1 : -1))
    .map(([currency, sum]) => ({ currency, amount: toDecimal(sum) }));
}

function toDecimal(sum: bigint): string {
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
