/** What an edit of many links does to each of them; pure. */
import type { Link, UpdateLinkOfBatch } from '@generated/types.gen.ts';
import { formatMoment } from '../../formats.ts';
import { withoutTags, withTag } from './tags.ts';

export interface BatchEdit {
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** Null leaves the tags; an empty list removes all. */
  readonly onlyTags: readonly string[] | null;
  /** Undefined leaves the campaign, null clears it. */
  readonly campaignId?: string | null;
  /** Undefined leaves the end; null for no end; else a time. */
  readonly expiresAt?: string | null;
}

export interface PlannedChange {
  readonly link: Link;
  readonly body: UpdateLinkOfBatch;
  /** What the link has now and will have, in words. */
  readonly words: readonly string[];
}

const MAX_TAGS = 20;

/** The links that would not be as they are. */
export function planEdit(links: readonly Link[], edit: BatchEdit): PlannedChange[] {
  return links.flatMap((link) => {
    const tags = tagsAfter(link, edit);
    const { campaignId, expiresAt } = edit;
    const isRetagged = JSON.stringify(tags) !== JSON.stringify(link.tags);
    const isMoved = campaignId !== undefined && campaignId !== link.campaignId;
    const isEnded = expiresAt !== undefined && expiresAt !== link.expiresAt;
    const words = [
      ...(isRetagged ? [`tags ${listed(link.tags)} → ${listed(tags)}`] : []),
      ...(isMoved ? [`campaign ${link.campaignId ?? 'none'} → ${campaignId ?? 'none'}`] : []),
      ...(isEnded ? [`end ${endOf(link.expiresAt)} → ${endOf(expiresAt)}`] : []),
    ];
    if (words.length === 0) return [];
    const body = {
      shortCode: link.shortCode,
      ...(isRetagged && { tags: [...tags] }),
      ...(isMoved && { campaignId }),
      ...(isEnded && { expiresAt }),
    };
    return [{ link, body, words }];
  });
}

/** Links that would have more tags than a link may have. */
export function overfull(links: readonly Link[], edit: BatchEdit): readonly Link[] {
  return links.filter((link) => tagsAfter(link, edit).length > MAX_TAGS);
}

function tagsAfter({ tags }: Link, { addTags, removeTags, onlyTags }: BatchEdit): readonly string[] {
  if (onlyTags !== null) return onlyTags;
  return addTags.reduce(withTag, withoutTags(tags, removeTags));
}

function endOf(at: string | null): string {
  return at === null ? 'never' : formatMoment(at, { seconds: false });
}

function listed(tags: readonly string[]): string {
  return tags.length === 0 ? 'none' : tags.join(', ');
}
