import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings } from './settings.ts';

const GOOD = { THROUGHLINE_URL: 'https://links.example.com/at/', THROUGHLINE_KEY: 'svc_live_abc' };

describe('the settings', () => {
  it('are address, key, and whether tools that change something are left out', () => {
    const settings = { baseUrl: 'https://links.example.com/at', key: 'svc_live_abc', isReadOnly: false };
    assert.deepEqual(readSettings(GOOD), settings);
    const padded = { THROUGHLINE_URL: ` ${GOOD.THROUGHLINE_URL}\n`, THROUGHLINE_KEY: 'svc_live_abc\r\n' };
    assert.deepEqual(readSettings(padded), settings);
    for (const [text, isReadOnly] of [
      ['1', true],
      ['true', true],
      ['0', false],
      ['false', false],
      ['', false],
    ] as const)
      assert.deepEqual(readSettings({ ...GOOD, THROUGHLINE_READ_ONLY: text }), { ...settings, isReadOnly });
  });

  it('that are wrong are named, without their values', () => {
    for (const url of [undefined, '', 'links.example.com', 'ftp://links.example.com', 'https://'])
      assert.throws(() => readSettings({ ...GOOD, THROUGHLINE_URL: url }), /^Error: THROUGHLINE_URL must be/);
    for (const key of [undefined, '', 'secret-123', 'svc_live_pub_abc', 'svc_live_a b', 'svc_live_a\nbc'])
      assert.throws(
        () => readSettings({ ...GOOD, THROUGHLINE_KEY: key }),
        (error: Error) =>
          /THROUGHLINE_KEY must be/.test(error.message) && !/secret-123|abc/.test(error.message),
      );
  });
});
