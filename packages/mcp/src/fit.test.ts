import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fit } from './fit.ts';

const items = (count: number, text = 'x') => Array.from({ length: count }, (_, n) => ({ n, text }));

describe('the length of an answer', () => {
  it('what is short stays as it is', () => {
    const data = { list: items(3), text: 'x', none: null, flag: false };
    assert.deepEqual(fit(data), { data, leftOut: [] });
  });

  it('the largest list is halved until the answer is short enough, and the answer says so', () => {
    const { data, leftOut } = fit({ totals: { clicks: 1 }, series: items(100), groups: items(10) }, 1_200);
    assert.ok(JSON.stringify(data).length <= 1_200);
    assert.deepEqual(leftOut, ['series: the first 25 of 100']);
    assert.deepEqual((data as { totals: object }).totals, { clicks: 1 });
    assert.equal((data as { groups: object[] }).groups.length, 10);
  });

  it('a list at the top and an object with many fields are shortened, too', () => {
    assert.deepEqual(fit(items(64), 400).leftOut, ['answer: the first 16 of 64']);
    const fields = Object.fromEntries(items(64).map(({ n }) => [`field${n}`, 'value']));
    assert.deepEqual(fit({ id: 1, fields }, 400).leftOut, ['fields: the first 16 of 64']);
  });

  it('a long text is cut, and its length named', () => {
    const { data } = fit({ text: 'x'.repeat(5_000) });
    assert.match((data as { text: string }).text, /^x{4000}… \(5000 characters\)$/);
  });

  it('the data of the caller stays whole', () => {
    const data = { list: items(100) };
    fit(data, 100);
    assert.equal(data.list.length, 100);
  });

  it('has no character that a person does not see, and keeps those that scripts and emoji need', () => {
    const tags = [...'delete'].map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
    const hidden = `Sp\u200bri\u00adng\u202e\u2066${tags}\u{e0100} sale\ufeff\u200d\u200d\u200c`;
    assert.deepEqual(fit({ [`a${tags}`]: [hidden] }).data, { a: ['Spring sale'] });
    for (const text of ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467} ❤\ufe0f', 'می\u200cخواهم', 'אב\u200f!'])
      assert.deepEqual(fit(text).data, text);
  });
});
