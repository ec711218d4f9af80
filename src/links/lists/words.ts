/** What searches compare of a link. */
import { foldText } from '../../lib/text.ts';
import type { LinkRow } from '../link.ts';

export const SEARCHED = ['short_code', 'path', 'campaign_id', 'deep_link_path', 'title', 'og_title'] as const;

/** As searches compare it: a line for each column, so that no text runs into the next one. */
export function wordsOf(
  link: {
    readonly [Column in (typeof SEARCHED)[number]]?: LinkRow[Column] | undefined;
  },
): string {
  return foldText(SEARCHED.map((column) => link[column] ?? '').join('\n'));
}

/** Whether the words have a text, in their titles alone or anywhere: a pattern of `like`, with `\` as escape. */
export function patternOf(text: string, { ofTitles = false } = {}): string {
  const part = foldText(text).replaceAll(/[\\%_]/g, '\\$&');
  return `${ofTitles ? '%\n'.repeat(SEARCHED.indexOf('title')) : ''}%${part}%`;
}
