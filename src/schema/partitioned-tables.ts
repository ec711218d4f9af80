import type { Period } from '../lib/clock.ts';
import type { Database } from './tables.ts';

/**
 * Tables that grow with traffic, and the period of which rows are dropped together: a partition on PostgreSQL. A row
 * belongs to the period of its id, a UUIDv7 that the server generates.
 */
export const PERIOD_OF = {
  clicks: 'day',
  webhook_messages: 'day',
  webhook_attempts: 'day',
  // Kept for years, and queries by other columns than the id scan all partitions.
  events: 'month',
} as const satisfies Partial<Record<keyof Database, Period>>;

export type PartitionedTable = keyof typeof PERIOD_OF;
