import type { Period } from '../clock.ts';
import type { Tables } from './tables.ts';

/**
 * Tables that grow with the traffic, and how much time of each is kept together and dropped at once; on PostgreSQL that
 * is a partition. A row's time is that of its id, which is a UUIDv7 of ours: no client can put it anywhere else.
 */
export const PERIOD_OF = {
  clicks: 'day',
  webhook_messages: 'day',
  webhook_attempts: 'day',
  // They may be kept for years, and every query on them by anything but their id goes through all partitions.
  events: 'month',
} as const satisfies Partial<Record<keyof Tables, Period>>;

export type PartitionedTable = keyof typeof PERIOD_OF;
