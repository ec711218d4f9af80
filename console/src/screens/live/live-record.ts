import type { Click, Event, Install, Open } from '@generated/types.gen.ts';

interface At {
  /** When it happened. */
  readonly at: string;
}

export type LiveRecord =
  | (Click & At & { readonly type: 'click' })
  | (Install & At & { readonly type: 'install' })
  | (Open & At & { readonly type: 'open' })
  | (Event & At & { readonly type: 'event' });

/** @param text the data of a message: the item of its list, with its kind. */
export function readRecord(text: string): LiveRecord {
  const record: LiveRecord = JSON.parse(text);
  return { ...record, at: timeOf(record) };
}

function timeOf(record: LiveRecord): string {
  switch (record.type) {
    case 'click':
      return record.clickedAt;
    case 'install':
      return record.installedAt;
    case 'open':
      return record.openedAt;
    case 'event':
      return record.occurredAt;
  }
}
