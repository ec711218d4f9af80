import { METHODS } from '../../formats.ts';
import type { RecordSearch } from '../records/record-search.ts';

export type RecordFilter = Pick<RecordSearch, 'shortCode' | 'campaignId' | 'method' | 'sandbox'>;

export const GROUPS = ['campaign', 'link', 'method'] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_NAMES: Readonly<Record<Group, string>> = {
  campaign: 'Campaign',
  link: 'Link',
  method: 'Method',
};

export function nameOfKey(group: Group, key: string | null): string {
  if (key === null) return group === 'campaign' ? 'none' : 'without a link';
  if (group === 'link') return `/${key}`;
  if (group === 'method') return Object.entries(METHODS).find(([method]) => method === key)?.[1] ?? key;
  return key;
}

/** Null for installs without a link or campaign, which no list filters by. */
export function filterOfKey(group: Group, key: string | null): RecordFilter | null {
  if (key === null) return null;
  return { campaign: { campaignId: key }, link: { shortCode: key }, method: { method: key } }[group];
}
