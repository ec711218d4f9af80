import { describeOmitted, fit, type Limits, type Spelling } from './fit.ts';
import { escapeMarkdown } from './markdown.ts';
import type { Message } from './message.ts';
import { readMention, type TeamsMention } from './teams-mention.ts';
import { nearestStyle } from './teams-style.ts';
import { toUtc } from './values.ts';

/** Teams refuses messages of some 28 KB, and has refused 21; this is what ours are at most, as JSON. */
const MAX_BYTES = 20_000;
/** A card without fields and mention. */
const FRAME_BYTES = 3_000;
/** No character is longer in JSON once a line is escaped: controls, which would be, are gone. */
const BYTES_A_CHARACTER = 3;
const LIMITS: Limits = { fields: 25, label: 100, value: 1_000, total: 5_000 };
const SPELLING: Spelling = {
  // One line break alone is a blank.
  escapeText: (text) => escapeMarkdown(text).replaceAll('\n', '\n\n'),
  // Facts are not promised the functions that show a time by the reader's own clock.
  spellTime: toUtc,
};

/** An Adaptive Card in the envelope that a Teams workflow takes. */
export function renderTeams(message: Message, mentionText: string | null): object {
  const mention = mentionText === null ? null : readMention(mentionText);
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

function cardOf(message: Message, mention: TeamsMention | null): object {
  const { fields, omitted } = fit(message.fields, limitsBeside(mention), SPELLING);
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

/** What the mention takes is not there for the fields. */
function limitsBeside(mention: TeamsMention | null): Limits {
  const taken = Buffer.byteLength(JSON.stringify(mention));
  const room = Math.floor((MAX_BYTES - FRAME_BYTES - taken) / BYTES_A_CHARACTER);
  return { ...LIMITS, total: Math.min(LIMITS.total, room) };
}

const SUBTLE = { size: 'Small', isSubtle: true };

function textBlock(text: string, style: object = {}): object {
  return { type: 'TextBlock', text, wrap: true, ...style };
}

/** The time as the reader's own clock shows it; the card's functions take no milliseconds. */
function toLocalTime(timestamp: string): string {
  const seconds = timestamp.replace(/\.\d+/, '');
  return `{{DATE(${seconds}, SHORT)}} {{TIME(${seconds})}}`;
}
