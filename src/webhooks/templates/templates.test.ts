import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ENORMOUS_NOTICES,
  HOSTILE_TEXTS,
  NOTICES,
  noticeWith,
} from '../../../test/fixtures/messages/notices.ts';
import { matchSnapshot } from '../../../test/helpers/snapshot.ts';
import { EVENT_TYPES, type EventType } from '../webhook.ts';
import { renderMessage, TEMPLATES } from './index.ts';
import { composeMessage } from './message.ts';

const PLAIN = { mentionText: null, accentColor: null };

describe('templates', () => {
  it('are slack, discord and teams, in this order', () => {
    assert.deepEqual(
      TEMPLATES.map(({ id, name }) => [id, name]),
      [
        ['slack', 'Slack'],
        ['discord', 'Discord'],
        ['teams', 'Microsoft Teams'],
      ],
    );
  });

  it('have a realistic notice for every event', () => {
    assert.deepEqual(
      NOTICES.map(({ type }) => type),
      EVENT_TYPES,
    );
  });

  for (const { id } of TEMPLATES)
    for (const notice of NOTICES)
      it(`${notice.type} in ${id} matches its snapshot`, () => {
        const message = renderMessage(id, notice, PLAIN);
        matchSnapshot(
          `test/fixtures/messages/${id}/${notice.type}.json`,
          `${JSON.stringify(message, null, 2)}\n`,
        );
      });

  for (const { id } of TEMPLATES)
    it(`titles in ${id} say (Sandbox) for sandbox events and for no others`, () => {
      for (const notice of NOTICES)
        for (const isSandbox of [true, false]) {
          const message = JSON.stringify(renderMessage(id, { ...notice, isSandbox }, PLAIN));
          assert.equal(message.includes(' (Sandbox)"'), isSandbox);
        }
    });

  for (const { id } of TEMPLATES)
    it(`no text in ${id} has a lone surrogate, however long the values are`, () => {
      for (const notice of ENORMOUS_NOTICES) {
        const mentionText = '👍'.repeat(1_500);
        const texts: string[] = [];
        JSON.stringify(renderMessage(id, notice, { mentionText, accentColor: null }), (_, value: unknown) => {
          if (typeof value === 'string') texts.push(value);
          return value;
        });
        assert.deepEqual(
          texts.filter((text) => !text.isWellFormed()),
          [],
        );
      }
    });
});

describe('the message behind the templates', () => {
  it('null and blank values are left out', () => {
    const values = [null, undefined, '', ' ', '{}', {}, [], '\u200b\u200d', '\u3164', '\n'];
    for (const value of values)
      assert.deepEqual(
        composeMessage(
          noticeWith('event.recorded', () => value),
          null,
        ).fields,
        [],
      );
  });

  it('zero and false are shown', () => {
    const notice = noticeWith('skan.postback_received', (key) => (key === 'did-win' ? false : 0));
    const { fields } = composeMessage(notice, null);
    assert.ok(fields.some(({ label, value }) => label === 'Did win' && value === 'false'));
    assert.ok(fields.some(({ label, value }) => label === 'Conversion value' && value === '0'));
  });

  it('a postback shows known fields first, then all others', () => {
    const data = { zeta: [1], 'did-win': true, constructor: 'x', appName: 'Acme', __proto__x: { a: 1 } };
    const { fields } = composeMessage({ ...postback(), data }, null);
    assert.deepEqual(
      fields.map(({ label, value }) => `${label}: ${value}`),
      ['App: Acme', 'Did win: true', 'zeta: [1]', 'constructor: x', '__proto__x: {"a":1}'],
    );
  });

  it('labels and values have no line breaks or direction controls', () => {
    for (const text of HOSTILE_TEXTS) {
      const { fields, summary } = composeMessage({ ...postback(), data: { [text]: text } }, null);
      for (const line of [summary, ...fields.flatMap(({ label, value }) => [label, value])])
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060]/u);
    }
  });

  it('times, platforms and properties are formatted', () => {
    const shown = (type: EventType, label: string, value: unknown) =>
      composeMessage(
        noticeWith(type, () => value),
        null,
      ).fields.find((field) => field.label === label)?.value;
    const platform = (value: unknown) => shown('install.organic', 'Platform', value);
    assert.deepEqual(['IOS', 'android', 'Windows'].map(platform), ['iOS', 'Android', 'Windows']);

    const clickedAt = (value: unknown) => shown('install.attributed', 'Clicked at', value);
    assert.equal(clickedAt('2026-01-02T03:04:59.999Z'), '02 Jan 2026, 03:04 UTC');
    for (const text of ['1', '2026-01-02', '2026-13-02T03:04:05Z', '@everyone 2026'])
      assert.equal(clickedAt(text), text);

    const properties = {
      sku: 'a\nb',
      amount: 19.9,
      gift: false,
      none: null,
      empty: '',
      tags: ['x'],
      'c\nd': 1,
    };
    const lines = 'sku: a b\namount: 19.9\ngift: false\ntags: ["x"]\nc d: 1';
    assert.equal(shown('event.recorded', 'Properties', JSON.stringify(properties)), lines);
    assert.equal(shown('open.attributed', 'Deep link parameters', JSON.stringify(properties)), lines);
    for (const text of ['[1]', 'null', '{"cut', '7'])
      assert.equal(shown('event.recorded', 'Properties', text), text);
  });

  it('only JSON values have several lines; the summary has one', () => {
    const json = JSON.stringify({ a: 1, b: 2 });
    for (const { type } of NOTICES) {
      const { fields, summary } = composeMessage(
        noticeWith(type, () => json),
        null,
      );
      const several = fields.filter(({ value }) => value.includes('\n')).map(({ label }) => label);
      assert.ok(several.every((label) => label === 'Properties' || label === 'Deep link parameters'));
      assert.ok(!summary.includes('\n'));
    }
    const alone = noticeWith('event.recorded', (key) => (key === 'properties' ? json : null));
    assert.equal(composeMessage(alone, null).summary, 'Event recorded: a: 1 b: 2');
  });

  it('scripts, joined emoji and quotes are unchanged', () => {
    const text = 'Über 渋谷 שלום 👩‍👩‍👧 "x" می‌خواهم';
    assert.equal(
      composeMessage(
        noticeWith('test.webhook', () => text),
        null,
      ).fields[0]?.value,
      text,
    );
  });
});

describe('colours', () => {
  const DEFAULTS = [
    '#16a34a',
    '#6b7280',
    '#ea580c',
    '#2563eb',
    '#0284c7',
    '#9333ea',
    '#f59e0b',
    '#dc2626',
    '#16a34a',
    '#64748b',
  ];

  it('every event has a default, which the accent colour replaces, in lower case', () => {
    assert.deepEqual(
      NOTICES.map((notice) => composeMessage(notice, null).color),
      DEFAULTS,
    );
    for (const notice of NOTICES) assert.equal(composeMessage(notice, '#FF00Aa').color, '#ff00aa');
  });
});

function postback() {
  return noticeWith('skan.postback_received', () => null);
}
