import { clip } from './fit.ts';
import { escapeMarkdown } from './markdown.ts';
import { toLine } from './values.ts';

/** A text and whom it pings: each entity's own text stands in it. */
export interface TeamsMention {
  readonly text: string;
  readonly entities: readonly {
    readonly type: 'mention';
    readonly text: string;
    readonly mentioned: { readonly id: string; readonly name: string };
  }[];
}

const MAX_MENTION = 2_000;
const PERSON = /<at id="([^"<>]{1,200})">([^<>]{1,64})<\/at>/g;

/**
 * Webhooks can mention people in Teams, by their Entra ID or sign-in name, and nothing else: `<at id="…">Name</at>`
 * pings, all other text is shown as it stands.
 */
export function readMention(mentionText: string): TeamsMention {
  const line = clip(toLine(mentionText), MAX_MENTION);
  const entities: TeamsMention['entities'][number][] = [];
  let text = '';
  let end = 0;
  for (const { 0: whole, 1: id = '', 2: name = '', index } of line.matchAll(PERSON)) {
    const tag = `<at>${name}</at>`;
    text += escapeMarkdown(line.slice(end, index)) + tag;
    entities.push({ type: 'mention', text: tag, mentioned: { id, name } });
    end = index + whole.length;
  }
  return { text: text + escapeMarkdown(line.slice(end)), entities };
}
