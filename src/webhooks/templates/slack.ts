import type { KnownBlock, MessageAttachment, MrkdwnElement, PlainTextElement } from '@slack/types';
import { clip, clipMentions, describeOmitted, fitFields, type Limits, type Markup } from './fit.ts';
import type { Field, Message } from './message.ts';
import { toUtc } from './values.ts';

/** The body of a Slack incoming webhook. */
export interface SlackMessage {
  /** Only mentions here are sure to ping. Shown above the sidebar and in notifications. */
  readonly text?: string;
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
  readonly attachments: MessageAttachment[];
}

/** A section has at most ten texts: five labels and five values. */
const FIELDS_PER_SECTION = 5;
/** Slack refuses about 13,000 characters of blocks; these limits keep the whole message below 10,000. */
const LIMITS: Limits = { fields: 25, label: 100, value: 1_000, total: 5_000 };
const MAX_MENTION = 3_000;
const MAX_SUMMARY = 500;

/** @param mentionText the only text that may ping; null for none. */
export function renderSlack(message: Message, mentionText: string | null): SlackMessage {
  const summary = clip(withoutFormatting(message.summary), MAX_SUMMARY, escapeSlack);
  return {
    ...(mentionText !== null && { text: `${toMention(mentionText)} ${summary}` }),
    // Event data must not create links or previews.
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
    attachments: [
      {
        color: message.color,
        // Shown in notifications of a message without `text`.
        fallback: summary,
        // With a mention, the summary already begins with the title.
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
  const { fields, omitted } = fitFields(labelled, LIMITS, MARKUP);
  const footer = [
    toLocalTime(Math.floor(Date.parse(message.timestamp) / 1_000)),
    ...(omitted > 0 ? [describeOmitted(omitted)] : []),
  ];
  return [...sectionsOf(fields), { type: 'context', elements: footer.map(mrkdwn) }];
}

/** Two columns: bold labels, and values as plain text, which Slack does not format. Times need markup. */
function sectionsOf(fields: readonly Field[]): KnownBlock[] {
  const sections: KnownBlock[] = [];
  for (let start = 0; start < fields.length; start += FIELDS_PER_SECTION) {
    const rows = fields.slice(start, start + FIELDS_PER_SECTION);
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

/** Verbatim: Slack does not turn names and addresses into mentions and links. */
function mrkdwn(text: string): MrkdwnElement {
  return { type: 'mrkdwn', text, verbatim: true };
}

/** The time in the reader's time zone. */
function toLocalTime(unixSeconds: number): string {
  return `<!date^${unixSeconds}^{date_short_pretty} {time}|${toUtc(unixSeconds)}>`;
}

/** Webhooks must write `@here` as `<!here>`. */
function toMention(mentionText: string): string {
  const converted = mentionText.replace(/(?<![\w<!|])@(here|channel|everyone)(?![\w-])/g, '<!$1>');
  return clipMentions(converted, MAX_MENTION);
}

/** Removes formatting characters and the @ of `@here`, for which Slack has no escapes. */
function withoutFormatting(line: string): string {
  const unformatted = line.replace(/[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '');
  return unformatted.replace(/(?<!@)@+(?=here|channel|everyone)/g, '').trim();
}

function escapeSlack(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

const MARKUP: Markup = { escapeText: escapeSlack, formatTime: toLocalTime };

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
