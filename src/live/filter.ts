import type { Flag } from '../db/index.ts';
import { KIND_OF_TYPE, type RecordKey, type RecordType } from '../records/index.ts';

/** Undefined where every record passes. */
export interface LiveFilter {
  readonly sandbox: Flag;
  readonly linkId: string | undefined;
  readonly campaignId: string | undefined;
  readonly type: RecordType | undefined;
}

export function matches(key: RecordKey, { sandbox, linkId, campaignId, type }: LiveFilter): boolean {
  return (
    key.sandbox === sandbox &&
    (linkId === undefined || key.link_id === linkId) &&
    (campaignId === undefined || key.campaign_id === campaignId) &&
    (type === undefined || key.table === KIND_OF_TYPE[type].table)
  );
}
