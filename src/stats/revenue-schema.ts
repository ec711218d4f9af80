import { Named, Text } from '../server/schemas.ts';

/** Of one event. */
export const Revenue = Named('Revenue', {
  amount: Text(
    '^-?[0-9]{1,12}(\\.[0-9]{1,4})?$',
    'a decimal such as 19.99, with a minus for a refund, of at most 12 digits before and 4 after the point',
  ),
  currency: Text('^[A-Z]{3}$', 'a code of ISO 4217 such as EUR'),
});
