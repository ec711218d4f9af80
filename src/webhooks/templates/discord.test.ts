import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ENORMOUS_NOTICES,
  HOSTILE_NOTICES,
  HOSTILE_TEXTS,
  NOTICES,
  noticeWith,
} from '../../../test/fixtures/messages/notices.ts';
import { type DiscordMessage, renderDiscord } from './discord.ts';
import { composeMessage, type Notice } from './message.ts';

const OUR_TIME = /^<t:\d+:f>$/;

describe('discord', () => {
  it('a message of any values keeps Discord’s limits', () => {
    for (const notice of [...NOTICES, ...ENORMOUS_NOTICES, ...HOSTILE_NOTICES]) {
      const message = render(notice, '@here '.repeat(1_000));
      const [embed] = message.embeds;
      assert.ok((message.content ?? '').length <= 2_000);
      assert.ok(embed.title.length <= 256);
      assert.ok(embed.fields.length <= 25);
      for (const { name, value } of embed.fields) {
        assert.ok(name.trim().length >= 1 && name.length <= 256);
        assert.ok(value.trim().length >= 1 && value.length <= 1_024);
      }
      const texts = [
        embed.title,
        embed.footer?.text,
        ...embed.fields.flatMap(({ name, value }) => [name, value]),
      ];
      assert.ok(texts.join('').length <= 6_000, `${texts.join('').length} characters`);
    }
  });

  it('a value is cut to its last whole escape, with an ellipsis', () => {
    const [field] = render(noticeWith('test.webhook', () => '*'.repeat(5_000))).embeds[0].fields;
    assert.equal(field?.value, `${'\\*'.repeat(499)}…`);
  });

  it('omitted fields are counted', () => {
    const [embed] = render(ENORMOUS_NOTICES.at(-5) as Notice).embeds;
    assert.equal(embed.footer?.text, `${402 - embed.fields.length} more fields`);
    assert.equal(render(NOTICES[0] as Notice).embeds[0].footer, undefined);
  });

  it('every event has inline fields', () => {
    for (const notice of NOTICES) assert.ok(render(notice).embeds[0].fields.some(({ inline }) => inline));
  });

  it('hostile texts create no mention, link or formatting', () => {
    for (const notice of [...NOTICES, ...ENORMOUS_NOTICES, ...HOSTILE_NOTICES]) {
      const { content, allowed_mentions, embeds } = render(notice);
      assert.equal(content, undefined);
      assert.deepEqual(allowed_mentions, { parse: [] });
      const texts = embeds[0].fields.flatMap(({ name, value }) => [name, ...value.split('\n')]);
      for (const text of texts.filter((each) => !OUR_TIME.test(each))) {
        const bare = text.replace(/\\[^0-9A-Za-z\s]/g, 'x');
        assert.doesNotMatch(bare, /[\\*~`|<>[\]\n]|@(everyone|here)|:\/\/|__|^_|_$|^[-+#]|^\d+\. /, text);
      }
    }
  });

  it('a time is shown in the reader’s time zone', () => {
    const { fields } = render(NOTICES[0] as Notice).embeds[0];
    assert.equal(fields.find(({ name }) => name === 'Clicked at')?.value, '<t:1795169671:f>');
  });

  it('hostile texts are shown unchanged', () => {
    const texts = HOSTILE_TEXTS.filter((text) => /^[\x20-\x7e]+$/.test(text));
    assert.ok(texts.length > 30);
    for (const text of texts) {
      const [field] = render(noticeWith('test.webhook', () => text)).embeds[0].fields;
      assert.equal(field?.value.replace(/\\([^0-9A-Za-z\s])/g, '$1'), text);
    }
  });

  for (const [mentionText, allowed] of [
    ['look here', { parse: [] }],
    ['@here', { parse: ['everyone'] }],
    ['@everyone, look', { parse: ['everyone'] }],
    ['<@123> and <@!45> and <@123>', { parse: [], users: ['123', '45'] }],
    ['<@&678> @here', { parse: ['everyone'], roles: ['678'] }],
    ['<!channel> <@U1> <#9>', { parse: [] }],
  ] as const)
    it(`the owner's ${mentionText} pings exactly the mentions in it`, () => {
      const message = render(NOTICES.at(-1) as Notice, mentionText);
      assert.equal(message.content, mentionText);
      assert.deepEqual(message.allowed_mentions, allowed);
    });

  it('a mention that does not fit is removed whole, and is not allowed', () => {
    const { content, allowed_mentions } = render(
      NOTICES.at(-1) as Notice,
      `${'x'.repeat(1_990)}<@12345678901>`,
    );
    assert.equal(content, `${'x'.repeat(1_990)}…`);
    assert.deepEqual(allowed_mentions, { parse: [] });
  });

  it('at most 100 users are allowed, as many as Discord accepts', () => {
    const mentionText = Array.from({ length: 300 }, (_, index) => `<@${index}>`).join('');
    assert.equal(render(NOTICES.at(-1) as Notice, mentionText).allowed_mentions.users?.length, 100);
  });

  it('the colour is an integer', () => {
    assert.equal(render(NOTICES[0] as Notice).embeds[0].color, 0x16a34a);
    assert.equal(
      renderDiscord(composeMessage(NOTICES[0] as Notice, '#5865F2'), null).embeds[0].color,
      5_793_266,
    );
  });
});

function render(notice: Notice, mentionText: string | null = null): DiscordMessage {
  return renderDiscord(composeMessage(notice, null), mentionText);
}
