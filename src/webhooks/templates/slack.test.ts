import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KnownBlock, MessageAttachment, TextObject } from '@slack/types';
import {
  ENORMOUS_NOTICES,
  HOSTILE_NOTICES,
  NOTICES,
  noticeWith,
} from '../../../test/fixtures/messages/notices.ts';
import { composeMessage, type Notice } from './message.ts';
import { renderSlack, type SlackMessage } from './slack.ts';

const ALL = [...NOTICES, ...ENORMOUS_NOTICES, ...HOSTILE_NOTICES];
const OUR_TIME = /^<!date\^\d+\^\{date_short_pretty\} \{time\}\|\d\d \w{3} \d{4}, \d\d:\d\d UTC>$/;

describe('slack', () => {
  it('a message of any values keeps Slack’s limits', () => {
    for (const notice of ALL) {
      const message = render(notice, '@here '.repeat(333));
      const texts = textsOf(message);
      for (const { text } of texts) assert.ok(text.length >= 1 && text.length <= 2_000);
      const blocks = blocksOf(message);
      assert.ok(blocks.length <= 50);
      for (const block of blocks) {
        if (block.type === 'header') assert.ok(block.text.text.length <= 150);
        if (block.type === 'section') assert.ok(block.fields !== undefined && block.fields.length <= 10);
        if (block.type === 'context') assert.ok(block.elements.length <= 10);
      }
      assert.ok(sumOf(message) < 10_000, `${sumOf(message)} characters`);
    }
  });

  it('omitted fields are counted', () => {
    const message = render(ENORMOUS_NOTICES.at(-1) as Notice);
    const shown = blocksOf(message).flatMap((block) =>
      block.type === 'section' ? (block.fields ?? []) : [],
    ).length;
    const footer = blocksOf(message).at(-1);
    assert.ok(footer?.type === 'context' && footer.elements[1]?.type === 'mrkdwn');
    assert.equal(footer.elements[1].text, `${402 - shown / 2} more fields`);
  });

  it('cleaning a text takes time linear in its length', () => {
    const label = '@'.repeat(1_000_000);
    const message = composeMessage({ ...(NOTICES[0] as Notice), data: { [label]: label } }, null);
    assert.ok(JSON.stringify(renderSlack(message, null)).length < 10_000);
  });

  it('hostile texts create no mention, link or formatting', () => {
    for (const notice of ALL) {
      const message = render(notice);
      assert.equal(message.text, undefined);
      const fallback = { type: 'mrkdwn', text: message.attachments[0]?.fallback ?? '' };
      const { text: line = '' } = render(notice, 'Growth');
      for (const { type, text } of [fallback, { type: 'mrkdwn', text: line }, ...linesOf(message)]) {
        if (OUR_TIME.test(text)) continue;
        assert.doesNotMatch(text, /[<>\n]/);
        assert.doesNotMatch(text, /&(?!(amp|lt|gt);)/, 'an entity is whole');
        if (type === 'mrkdwn')
          assert.doesNotMatch(
            text.replace(/^\*(.+)\*$/, '$1'),
            /[*~`]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|@(here|channel|everyone)/,
          );
      }
      assert.deepEqual(
        [message.link_names, message.unfurl_links, message.unfurl_media],
        [false, false, false],
      );
    }
  });

  it('a time is shown in the reader’s time zone, with UTC as fallback', () => {
    const texts = textsOf(render(NOTICES[0] as Notice));
    const [, time] = texts.slice(texts.findIndex(({ text }) => text === '*Clicked at*'));
    assert.equal(time?.text, '<!date^1795169671^{date_short_pretty} {time}|20 Nov 2026, 10:14 UTC>');
    assert.equal(time?.type, 'mrkdwn');
  });

  it('values are unchanged, but for & < > as entities', () => {
    for (const text of ['*x* _y_ ~z~ `c`', '<!channel> & <@U1>']) {
      const values = textsOf(render(noticeWith('test.webhook', () => text))).filter(
        ({ type }) => type === 'plain_text',
      );
      assert.equal(decoded(values.at(-1)?.text ?? ''), text);
    }
  });

  for (const [written, sent] of [
    ['@here', '<!here>'],
    ['@channel deploys: @everyone', '<!channel> deploys: <!everyone>'],
    ['<!here> <!channel> <@U123> <!subteam^S1|@here>', '<!here> <!channel> <@U123> <!subteam^S1|@here>'],
    ['ann@here.example @hereabouts', 'ann@here.example @hereabouts'],
  ] as const)
    it(`the owner's ${written} is sent as ${sent}, in front of the summary`, () => {
      const message = render(NOTICES.at(-1) as Notice, written);
      assert.ok(message.text?.startsWith(`${sent} Test webhook: `), message.text);
    });

  it('the title is visible once, and notifications show the summary', () => {
    for (const notice of NOTICES)
      for (const mentionText of [null, '@here']) {
        const message = render(notice, mentionText);
        const { title, summary } = composeMessage(notice, null);
        const visible = [message.text ?? '', ...textsOf(message).map(({ text }) => text)];
        assert.equal(visible.filter((text) => text.includes(title)).length, 1);
        assert.equal(decoded(message.attachments[0]?.fallback ?? ''), summary);
        if (mentionText !== null) assert.equal(decoded(message.text ?? ''), `<!here> ${summary}`);
      }
  });

  it('a mention that does not fit is removed whole', () => {
    const { text } = render(NOTICES.at(-1) as Notice, `${'x'.repeat(2_990)}<@U0123456789>`);
    assert.ok(text?.startsWith(`${'x'.repeat(2_990)}… `));
  });

  it('the sidebar has the colour of the event, or the accent colour', () => {
    assert.equal(render(NOTICES[0] as Notice).attachments[0]?.color, '#16a34a');
    const accented = renderSlack(composeMessage(NOTICES[0] as Notice, '#ABCDEF'), null);
    assert.equal(accented.attachments[0]?.color, '#abcdef');
  });
});

function render(notice: Notice, mentionText: string | null = null): SlackMessage {
  const message = renderSlack(composeMessage(notice, null), mentionText);
  return message satisfies { text?: string; attachments: MessageAttachment[] };
}

function blocksOf(message: SlackMessage): KnownBlock[] {
  return (message.attachments[0]?.blocks ?? []) as KnownBlock[];
}

function textsOf(message: SlackMessage): TextObject[] {
  return blocksOf(message).flatMap((block) => {
    if (block.type === 'header') return [block.text];
    if (block.type === 'section') return block.fields ?? [];
    return block.type === 'context' ? block.elements.filter((element) => element.type !== 'image') : [];
  });
}

/** Only values may have several lines. */
function linesOf(message: SlackMessage): { type: string; text: string }[] {
  return textsOf(message).flatMap(({ type, text }) => {
    const lines = type === 'plain_text' ? text.split('\n') : [text];
    return lines.map((line) => ({ type, text: line }));
  });
}

function sumOf(message: SlackMessage): number {
  const texts = [
    message.text ?? '',
    message.attachments[0]?.fallback ?? '',
    ...textsOf(message).map(({ text }) => text),
  ];
  return texts.join('').length;
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
