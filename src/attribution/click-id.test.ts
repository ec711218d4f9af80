import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clickIdInReferrer, readClickIdField } from './click-id.ts';

const ID = '01900000-0000-7000-8000-00000000abcd';
const NAMED = `svc_click_id=${ID}`;

describe('the click ID in a referrer', () => {
  it('is not found in any truncated form, plain or encoded', () => {
    for (const text of [NAMED, encodeURIComponent(NAMED)])
      for (let length = 0; length < text.length; length++)
        assert.notEqual(clickIdInReferrer(text.slice(0, length)), ID, text.slice(0, length));
  });

  it('is found in full, plain or encoded', () => {
    for (const text of [
      NAMED,
      encodeURIComponent(NAMED),
      `utm_source=x&${NAMED.replace(ID, ID.toUpperCase())}`,
    ])
      assert.equal(clickIdInReferrer(text), ID);
  });
});

describe('the name in a click ID', () => {
  it('is the text without white space around it, unless a URL contains one', () => {
    for (const text of [
      ID,
      ` ${ID}\n`,
      `https://go.example.com/l/a?svc_click_id=${ID}`,
      `shop://a?b=c&${NAMED}#d`,
    ])
      assert.equal(readClickIdField(text), ID);
    for (const text of [null, undefined, '', '  ']) assert.equal(readClickIdField(text), null);
  });

  it('is not the click ID in any truncated form', () => {
    for (let length = 1; length < ID.length; length++) {
      assert.equal(readClickIdField(ID.slice(0, length)), ID.slice(0, length));
      assert.equal(readClickIdField(ID.slice(length)), ID.slice(length));
    }
  });
});
