import { Named, Text } from '../server/schemas.ts';

/** Digits of an amount before the point. */
export const MAX_REVENUE_DIGITS = 12;
/** Digits after the point. */
export const MAX_REVENUE_DECIMALS = 4;

/** Of one event. */
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
