import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatPosition, parsePosition, toMessage } from './message.ts';
import { matches } from './stream.ts';

const POSITION = { feed: 'a-B_3', number: 7, atMs: 1_700_000_000_000 };

describe('a position in a live stream', () => {
  it('is read as it was sent', () => {
    assert.deepEqual(parsePosition(formatPosition(POSITION)), POSITION);
  });

  it('that no stream has sent is none', () => {
    for (const text of [
      undefined,
      '',
      '7',
      'a.7',
      'a.7.',
      'a.-7.1',
      'a b.7.1',
      `${'a'.repeat(21)}.7.1`,
      'a.7.1.2',
    ])
      assert.equal(parsePosition(text), null, String(text));
  });
});

describe('a message of a live stream', () => {
  it('keeps line breaks of its data out of the lines of the stream', () => {
    assert.equal(
      toMessage({ position: POSITION, data: { text: 'one\n\ndata: two' } }),
      'id: a-B_3.7.1700000000000\ndata: {"text":"one\\n\\ndata: two"}\n\n',
    );
    assert.match(toMessage({ event: 'lost', position: POSITION, data: {} }), /^event: lost\nid: /);
  });
});

describe('the filter of a live stream', () => {
  const key = { table: 'installs', id: 'x', at: '', sandbox: 0, link_id: 'l', campaign_id: 'c' } as const;
  const all = { sandbox: 0, linkId: undefined, campaignId: undefined, type: undefined } as const;
  it('passes only what has each value that it names, and never records of the other mode', () => {
    for (const [filter, isPassed] of [
      [{}, true],
      [{ sandbox: 1 }, false],
      [{ linkId: 'l', campaignId: 'c', type: 'install' }, true],
      [{ linkId: 'other' }, false],
      [{ campaignId: 'other' }, false],
      [{ type: 'click' }, false],
    ] as const)
      assert.equal(matches(key, { ...all, ...filter }), isPassed, JSON.stringify(filter));
  });
});
