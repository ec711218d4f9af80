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

/** Of the list of installs, which has those without a value by an empty one. */
export function filterOfKey(group: Group, key: string | null): RecordFilter {
  const value = key ?? '';
  return { campaign: { campaignId: value }, link: { shortCode: value }, method: { method: value } }[group];
}
