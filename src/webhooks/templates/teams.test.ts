import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import {
  ENORMOUS_NOTICES,
  HOSTILE_NOTICES,
  HOSTILE_TEXTS,
  NOTICES,
  noticeWith,
} from '../../../test/fixtures/messages/notices.ts';
import { composeMessage, type Notice } from './message.ts';
import { nearestStyle, renderTeams } from './teams.ts';

/** The reference implementation. Node can load only its bundle; the package's entry is for bundlers. */
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards');

const ALL = [...NOTICES, ...ENORMOUS_NOTICES, ...HOSTILE_NOTICES];
const MENTIONS = [
  '@here',
  '<at id="ann@example.com">Ann</at>, look',
  '<at id="語">語</at>'.repeat(200),
  '語'.repeat(2_000),
  '*\u0001'.repeat(1_000),
];

interface Card {
  readonly fallbackText: string;
  readonly msteams: { readonly entities?: unknown };
  readonly body: readonly Element[];
}
interface Element {
  readonly type: string;
  readonly text?: string;
  readonly style?: string;
  readonly facts?: readonly { title: string; value: string }[];
}

describe('teams', () => {
  it('the reference implementation parses every card as version 1.4 without a warning', () => {
    for (const notice of ALL)
      for (const mentionText of [null, ...MENTIONS])
        assert.deepEqual(warningsOf(cardOf(notice, mentionText)), []);
  });

  it('the reference implementation warns about invalid cards', () => {
    const card = cardOf(NOTICES[0] as Notice);
    const [title, ...others] = card.body;
    assert.equal(warningsOf({ ...card, body: [{ ...title, style: '#16a34a' }, ...others] }).length, 1);
    assert.equal(warningsOf({ ...card, body: [{ type: 'Sidebar' }] }).length, 1);
    // Version 1.5 added tables.
    assert.equal(warningsOf({ ...card, body: [{ type: 'Table' }] }).length, 1);
  });

  it('a message of any values and mention is at most 20 KB', () => {
    for (const notice of ALL)
      for (const mentionText of [null, ...MENTIONS]) {
        const bytes = Buffer.byteLength(JSON.stringify(render(notice, mentionText)));
        assert.ok(bytes <= 20_000, `${bytes} bytes`);
      }
  });

  it('omitted fields are counted', () => {
    const { body } = cardOf(ENORMOUS_NOTICES.at(-5) as Notice);
    const shown = factsOf(body).length;
    assert.ok(body.some(({ text }) => text === `${402 - shown} more fields`));
  });

  it('hostile texts create no mention, link or formatting', () => {
    for (const notice of ALL) {
      const { fallbackText, msteams, body } = cardOf(notice);
      assert.deepEqual(msteams, { width: 'Full' });
      const shown = factsOf(body).flatMap(({ title, value }) => [title, ...value.split('\n\n')]);
      for (const text of [fallbackText, ...shown]) {
        const bare = text.replace(/\\[^0-9A-Za-z\s]/g, 'x');
        assert.doesNotMatch(
          bare,
          /[\\*~`<>[\]\n]|:\/\/|\{\{|\$\{|&#?\w+;|__|^_|_$|^[-+#]|^\d+[.)](\s|$)/,
          text,
        );
      }
    }
  });

  it('hostile texts are shown unchanged', () => {
    for (const text of HOSTILE_TEXTS.filter((each) => /^[\x20-\x7e]+$/.test(each))) {
      const [fact] = factsOf(cardOf(noticeWith('test.webhook', () => text)).body);
      assert.equal(fact?.value.replace(/\\([^0-9A-Za-z\s])/g, '$1'), text);
    }
  });

  it('the mention text mentions a person by name and id', () => {
    const { msteams, body } = cardOf(
      NOTICES.at(-1) as Notice,
      '*Hi* <at id="ann@example.com">Ann</at> & <at>all</at>!',
    );
    assert.equal(body[1]?.text, '\\*Hi\\* <at>Ann</at> & \\<at\\>all\\</at\\>!');
    assert.deepEqual(msteams.entities, [
      { type: 'mention', text: '<at>Ann</at>', mentioned: { id: 'ann@example.com', name: 'Ann' } },
    ]);
  });

  it('other mention text is shown as text', () => {
    for (const [written, shown] of [
      ['@channel', '@channel'],
      ['Growth *team*', 'Growth \\*team\\*'],
      ['a\nb', 'a b'],
    ] as const)
      assert.equal(cardOf(NOTICES.at(-1) as Notice, written).body[1]?.text, shown);
  });

  for (const [color, style] of [
    ['#16a34a', 'good'],
    ['#6b7280', 'emphasis'],
    ['#2563eb', 'accent'],
    ['#9333ea', 'accent'],
    ['#f59e0b', 'warning'],
    ['#64748b', 'emphasis'],
    ['#ff0000', 'attention'],
    ['#FF00AA', 'attention'],
    ['#f97316', 'warning'],
    ['#ffff00', 'warning'],
    ['#84cc16', 'good'],
    ['#14b8a6', 'good'],
    ['#06b6d4', 'accent'],
    ['#5865F2', 'accent'],
    ['#000000', 'emphasis'],
    ['#ffffff', 'emphasis'],
  ] as const)
    it(`${color} is nearest to ${style}`, () => {
      assert.equal(nearestStyle(color), style);
      const message = renderTeams(composeMessage(NOTICES[0] as Notice, color), null);
      assert.equal(contentOf(message).body[0]?.style, style);
    });
});

function render(notice: Notice, mentionText: string | null): object {
  return renderTeams(composeMessage(notice, null), mentionText);
}

function cardOf(notice: Notice, mentionText: string | null = null): Card {
  return contentOf(render(notice, mentionText));
}

function contentOf(message: object): Card {
  return (message as { attachments: [{ content: Card }] }).attachments[0].content;
}

function factsOf(body: Card['body']) {
  return body.flatMap(({ facts = [] }) => facts);
}

function warningsOf(card: object): string[] {
  const context = new SerializationContext(Versions.v1_4);
  new AdaptiveCard().parse(card, context);
  return Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
}
