import type { StandardEvent } from '@throughline/core';

/** @returns the event as JSON, or why no native client would take it. Its values are checked there, as core does it. */
export function toEventText({
  name,
  properties,
  revenue,
}: StandardEvent): string | { readonly fault: string } {
  const fault = faultOf(name, properties, revenue);
  if (fault !== null) return { fault };
  try {
    return JSON.stringify({
      name,
      ...(properties && { properties }),
      ...(revenue && { revenue }),
    });
  } catch (cause) {
    return { fault: `properties are not JSON: ${cause}` };
  }
}

function faultOf(name: unknown, properties: unknown, revenue: unknown): string | null {
  if (typeof name !== 'string') return 'the name must be a text that is not empty';
  if (properties && (typeof properties !== 'object' || Array.isArray(properties)))
    return 'properties must be an object';
  if (!revenue) return null;
  const { amount, currency, transactionId } = revenue as Record<string, unknown>;
  if (typeof amount !== 'string')
    return `revenue.amount must be a text such as "19.99", not ${String(amount)}`;
  if (typeof currency !== 'string')
    return `revenue.currency must be three capitals such as "EUR", not ${String(currency)}`;
  const isText = transactionId === undefined || transactionId === null || typeof transactionId === 'string';
  return isText ? null : 'revenue.transactionId must be a text that is not empty';
}
