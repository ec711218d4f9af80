import { clip, describeOmitted, fitFields, type Limits, type Markup } from './fit.ts';
import { escapeMarkdown } from './markdown.ts';
import type { Message } from './message.ts';
import { toLine, toUtc } from './values.ts';

/** Teams refuses messages of about 28 KB, and has refused 21 KB. */
const MAX_BYTES = 20_000;
/** A card without fields and mention. */
const FRAME_BYTES = 3_000;
/** The most of any character as JSON; escaped lines hold no control characters, which take more. */
const BYTES_PER_CHARACTER = 3;
const LIMITS: Limits = { fields: 25, label: 100, value: 1_000, total: 5_000 };
const MARKUP: Markup = {
  // A single line break is rendered as a space.
  escapeText: (text) => escapeMarkdown(text).replaceAll('\n', '\n\n'),
  // Teams does not document the local-time functions for facts.
  formatTime: toUtc,
};
const SUBTLE = { size: 'Small', isSubtle: true };

const MAX_MENTION = 2_000;
const PERSON = /<at id="([^"<>]{1,200})">([^<>]{1,64})<\/at>/g;

/** Mention text with the entities that its `<at>` tags refer to. */
interface Mention {
  readonly text: string;
  readonly entities: readonly {
    readonly type: 'mention';
    readonly text: string;
    readonly mentioned: { readonly id: string; readonly name: string };
  }[];
}

/** Container styles; Adaptive Cards have no hex colours. */
type ContainerStyle = 'emphasis' | 'attention' | 'warning' | 'good' | 'accent';

/** The upper bounds of the hues of each style, from red. */
const HUES: readonly (readonly [endDegrees: number, style: ContainerStyle])[] = [
  [20, 'attention'],
  [70, 'warning'],
  [180, 'good'],
  [300, 'accent'],
  [360, 'attention'],
];
/** The difference of the strongest and the weakest channel below which a colour looks grey. */
const MIN_CHROMA = 48;

/** An Adaptive Card in the envelope of Teams workflows. */
export function renderTeams(message: Message, mentionText: string | null): object {
  const mention = mentionText === null ? null : parseMention(mentionText);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: cardOf(message, mention),
      },
    ],
  };
}

/** Webhooks can mention people only, by Entra ID or sign-in name: `<at id="…">Name</at>`. Other text is escaped. */
function parseMention(mentionText: string): Mention {
  const line = clip(toLine(mentionText), MAX_MENTION);
  const entities: Mention['entities'][number][] = [];
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

function cardOf(message: Message, mention: Mention | null): object {
  const { fields, omitted } = fitFields(message.fields, limitsWith(mention), MARKUP);
  const facts = fields.map(({ label, value }) => ({ title: label, value }));
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: escapeMarkdown(message.summary),
    msteams: { width: 'Full', ...(mention !== null && { entities: mention.entities }) },
    body: [
      {
        type: 'Container',
        style: nearestStyle(message.color),
        bleed: true,
        items: [textBlock(message.title, { size: 'Medium', weight: 'Bolder' })],
      },
      ...(mention === null ? [] : [textBlock(mention.text)]),
      ...(facts.length === 0 ? [] : [{ type: 'FactSet', facts }]),
      ...(omitted === 0 ? [] : [textBlock(describeOmitted(omitted), SUBTLE)]),
      textBlock(toLocalTime(message.timestamp), SUBTLE),
    ],
  };
}

function limitsWith(mention: Mention | null): Limits {
  const mentionBytes = Buffer.byteLength(JSON.stringify(mention));
  const available = Math.floor((MAX_BYTES - FRAME_BYTES - mentionBytes) / BYTES_PER_CHARACTER);
  return { ...LIMITS, total: Math.min(LIMITS.total, available) };
}

/** The style whose colour is nearest in hue; greys are `emphasis`. */
export function nearestStyle(color: string): ContainerStyle {
  const channels = (color.match(/[0-9a-f]{2}/gi) ?? []).map((hex) => Number.parseInt(hex, 16));
  const [red = 0, green = 0, blue = 0] = channels;
  if (Math.max(...channels) - Math.min(...channels) < MIN_CHROMA) return 'emphasis';
  // Red is 0 degrees, green 120, blue 240.
  const degrees = (Math.atan2(Math.sqrt(3) * (green - blue), 2 * red - green - blue) * 180) / Math.PI;
  const hue = (degrees + 360) % 360;
  return HUES.find(([endDegrees]) => hue < endDegrees)?.[1] ?? 'emphasis';
}

function textBlock(text: string, style: object = {}): object {
  return { type: 'TextBlock', text, wrap: true, ...style };
}

/** The time in the reader's time zone; the card's functions accept no milliseconds. */
function toLocalTime(timestamp: string): string {
  const seconds = timestamp.replace(/\.\d+/, '');
  return `{{DATE(${seconds}, SHORT)}} {{TIME(${seconds})}}`;
}
