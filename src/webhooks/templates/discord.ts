import { clipMentions, describeOmitted, fitFields, type Limits, type Markup } from './fit.ts';
import { escapeMarkdown } from './markdown.ts';
import type { Field, Message } from './message.ts';

/** The body of a Discord webhook. */
export interface DiscordMessage {
  readonly content?: string;
  readonly allowed_mentions: AllowedMentions;
  readonly embeds: readonly [DiscordEmbed];
}

interface DiscordEmbed {
  readonly title: string;
  readonly color: number;
  readonly fields: readonly { name: string; value: string; inline: boolean }[];
  readonly footer?: { readonly text: string };
  readonly timestamp: string;
}

/** Restricts pings: a mention in the text pings only if it is listed here. */
interface AllowedMentions {
  readonly parse: readonly 'everyone'[];
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
}

/** Discord's are 25 fields, names of 256, values of 1,024 and 6,000 characters in all, title and footer included. */
const LIMITS: Limits = { fields: 25, label: 100, value: 1_000, total: 5_500 };
const MAX_CONTENT = 2_000;
const MAX_IDS = 100;
/** Discord shows `<t:…>` in the reader's time zone. */
const MARKUP: Markup = { escapeText: escapeMarkdown, formatTime: (seconds) => `<t:${seconds}:f>` };
/** Longer values get a line of their own. */
const MAX_INLINE = 64;

/** @param mentionText the only text that may ping; null for none. */
export function renderDiscord(message: Message, mentionText: string | null): DiscordMessage {
  const embeds: [DiscordEmbed] = [embedOf(message)];
  if (mentionText === null) return { allowed_mentions: { parse: [] }, embeds };
  const content = clipMentions(mentionText, MAX_CONTENT);
  return { content, allowed_mentions: mentionsIn(content), embeds };
}

function embedOf(message: Message): DiscordEmbed {
  const { fields, omitted } = fitFields(message.fields, LIMITS, MARKUP);
  return {
    title: message.title,
    color: Number.parseInt(message.color.slice(1), 16),
    fields: fields.map(toEmbedField),
    ...(omitted > 0 && { footer: { text: describeOmitted(omitted) } }),
    timestamp: message.timestamp,
  };
}

function toEmbedField({ label, value }: Field): DiscordEmbed['fields'][number] {
  return { name: label, value, inline: value.length <= MAX_INLINE && !value.includes('\n') };
}

function mentionsIn(content: string): AllowedMentions {
  const users = idsIn(content, /<@!?(\d{1,20})>/g);
  const roles = idsIn(content, /<@&(\d{1,20})>/g);
  return {
    parse: /@(everyone|here)/.test(content) ? ['everyone'] : [],
    ...(users.length > 0 && { users }),
    ...(roles.length > 0 && { roles }),
  };
}

/** Unique: Discord refuses duplicates. */
function idsIn(content: string, mention: RegExp): string[] {
  const ids = [...content.matchAll(mention)].map(([, id = '']) => id);
  return [...new Set(ids)].slice(0, MAX_IDS);
}
