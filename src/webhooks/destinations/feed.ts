/**
 * The feed: records that some destination of their app takes, one row for each transaction that stores some, until batches
 * of them are formed.
 */
import type { DestinationFeedTable } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import type { WebhookEvent } from '../publish.ts';
import type { EventType, WebhookRow } from '../webhook.ts';

export const FORWARDED_KINDS = ['install', 'open', 'event'] as const;
export type ForwardedKind = (typeof FORWARDED_KINDS)[number];

export interface FeedRecord {
  readonly kind: ForwardedKind;
  readonly id: string;
  /** As in `ForwardedRecord`. */
  readonly name: string;
  readonly isSandbox: boolean;
}

/** What a webhook or destination takes. */
export interface Choice {
  /** Types of a webhook's messages, kinds of a destination's records; empty means all. */
  readonly events: readonly string[];
  /** Of a destination's events; empty means all. */
  readonly eventNames: readonly string[];
  /** Of a destination: no live record either. */
  readonly isSandboxOnly: boolean;
}

export function choiceOf(row: Pick<WebhookRow, 'events' | 'event_names' | 'sandbox_only'>): Choice {
  return {
    events: JSON.parse(row.events) as string[],
    eventNames: JSON.parse(row.event_names ?? '[]') as string[],
    isSandboxOnly: row.sandbox_only === 1,
  };
}

/** Whether a destination takes a record. */
export function takes(
  { events, eventNames, isSandboxOnly }: Choice,
  { kind, name, isSandbox }: Pick<FeedRecord, 'kind' | 'name' | 'isSandbox'>,
): boolean {
  if (isSandbox !== isSandboxOnly) return false;
  if (events.length > 0 && !events.includes(kind)) return false;
  return kind !== 'event' || eventNames.length === 0 || eventNames.includes(name);
}

/** @returns a row, or none if no destination takes one of the records. */
export function toFeed(
  { ids }: Pick<Foundation, 'ids'>,
  appId: string,
  { destinations, events }: { destinations: readonly Choice[]; events: readonly WebhookEvent[] },
): DestinationFeedTable[] {
  if (destinations.length === 0) return [];
  const records = events.flatMap((event) => {
    const record = toFeedRecord(event);
    return record !== null && destinations.some((each) => takes(each, record)) ? [record] : [];
  });
  return records.length === 0 ? [] : [{ app_id: appId, id: ids.next(), records: writeFeedRecords(records) }];
}

/** By the message that webhooks get of a record as it is stored; null for what no destination takes. */
const KIND_OF: Readonly<Record<EventType, ForwardedKind | null>> = {
  'install.attributed': 'install',
  'install.organic': 'install',
  // A second message of an install.
  'install.network_attributed': null,
  'open.attributed': 'open',
  'open.direct': 'open',
  'event.recorded': 'event',
  'skan.postback_received': null,
  'host.problem': null,
  'host.recovered': null,
  'test.webhook': null,
};

function toFeedRecord({ type, recordId, isSandbox, data }: WebhookEvent): FeedRecord | null {
  const kind = KIND_OF[type];
  if (kind === null) return null;
  const name = kind === 'event' ? String(data.eventName) : kind;
  return { kind, id: recordId, name, isSandbox };
}

/** As a row of the feed has them. */
export function writeFeedRecords(records: readonly FeedRecord[]): string {
  const list = records.map(({ kind, id, name, isSandbox }) => [
    FORWARDED_KINDS.indexOf(kind),
    id,
    isSandbox ? 1 : 0,
    // Only events have a name of their own.
    ...(kind === 'event' ? [name] : []),
  ]);
  return JSON.stringify(list);
}

export function readFeedRow({ records }: Pick<DestinationFeedTable, 'records'>): FeedRecord[] {
  const list = JSON.parse(records) as [kind: number, id: string, isSandbox: number, name?: string][];
  return list.flatMap(([index, id, isSandbox, name]) => {
    const kind = FORWARDED_KINDS[index];
    return kind === undefined ? [] : [{ kind, id, name: name ?? kind, isSandbox: isSandbox === 1 }];
  });
}
