import type { KnownBlock, MessageAttachment, MrkdwnElement, PlainTextElement } from '@slack/types';
import { clip, clipMentions, describeOmitted, fit, type Limits, type Spelling } from './fit.ts';
import type { Field, Message } from './message.ts';
import { toUtc } from './values.ts';

/** What Slack's incoming webhooks take. */
export interface SlackMessage {
  /** The only place whose mentions are sure to ping. Slack shows it above the sidebar, and notifications quote it. */
  readonly text?: string;
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly attachments: MessageAttachment[];
}

/** A section takes ten texts: five labels, five values. */
const FIELDS_A_SECTION = 5;
/** Slack refuses some 13,000 characters of blocks; all that is here, the text too, stays under 10,000. */
const LIMITS: Limits = { fields: 25, label: 100, value: 1_000, total: 5_000 };
const MAX_MENTION = 3_000;
const MAX_SUMMARY = 500;

/** @param mentionText the owner's text, the only one that may ping; null for none. */
export function renderSlack(message: Message, mentionText: string | null): SlackMessage {
  const summary = clip(withoutFormatting(message.summary), MAX_SUMMARY, escapeSlack);
  return {
    ...(mentionText !== null && { text: `${toMention(mentionText)} ${summary}` }),
    // A campaign's text links to nobody and previews no page.
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    attachments: [
      {
        color: message.color,
        // What notifications say of a message without text; Slack shows it nowhere else.
        fallback: summary,
        // The title stands once: behind the mention, or at the head of the blocks.
        blocks: [...(mentionText === null ? [titleOf(message)] : []), ...blocksOf(message)],
      },
    ],
  };
}

function titleOf({ title }: Message): KnownBlock {
  return { type: 'header', text: plain(title) };
}

function blocksOf(message: Message): KnownBlock[] {
  const labelled = message.fields.map((field) => ({
    ...field,
    label: withoutFormatting(field.label) || '?',
  }));
  const { fields, omitted } = fit(labelled, LIMITS, SPELLING);
  const footer = [
    toLocalTime(Math.floor(Date.parse(message.timestamp) / 1_000)),
    ...(omitted > 0 ? [describeOmitted(omitted)] : []),
  ];
  return [...sectionsOf(fields), { type: 'context', elements: footer.map(mrkdwn) }];
}

/**
 * Two columns: labels on the left, in bold; values on the right, as plain text, in which no formatting counts. Times are
 * markup of ours.
 */
function sectionsOf(fields: readonly Field[]): KnownBlock[] {
  const sections: KnownBlock[] = [];
  for (let start = 0; start < fields.length; start += FIELDS_A_SECTION) {
    const rows = fields.slice(start, start + FIELDS_A_SECTION);
    sections.push({
      type: 'section',
      fields: rows.flatMap(({ label, value, unixSeconds }) => [
        mrkdwn(`*${label}*`),
        unixSeconds === undefined ? plain(value) : mrkdwn(value),
      ]),
    });
  }
  return sections;
}

function plain(text: string): PlainTextElement {
  return { type: 'plain_text', text, emoji: false };
}

/** Verbatim: Slack makes no mentions and links out of names and addresses. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** The time as the reader's own clock shows it. */
function toLocalTime(unixSeconds: number): string {
  return `<!date^${unixSeconds}^{date_short_pretty} {time}|${toUtc(unixSeconds)}>`;
}

/** People write `@here`, and a webhook has to write `<!here>`. */
function toMention(mentionText: string): string {
  const spelled = mentionText.replace(/(?<![\w<!|])@(here|channel|everyone)(?![\w-])/g, '<!$1>');
  return clipMentions(spelled, MAX_MENTION);
}

/** Slack knows no escape for its formatting and for `@here`, so where they count they are left out. */
function withoutFormatting(line: string): string {
  const unformatted = line.replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '');
  return unformatted.replace(/(?<!@)@+(?=here|channel|everyone)/g, '').trim();
}

function escapeSlack(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

const SPELLING: Spelling = { escapeText: escapeSlack, spellTime: toLocalTime };

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
