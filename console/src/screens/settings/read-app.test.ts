import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { App } from '@generated/types.gen.ts';
import { readApp } from './read-app.ts';

describe('the form of the settings', () => {
  it('sets the threshold of the fingerprint, which it shows in per cent, exactly', () => {
    for (let percent = 50; percent <= 99; percent++) {
      const form = new FormData();
      form.set('fingerprintThreshold', String(percent));
      const { fingerprintThreshold } = readApp(form, {} as App);
      assert.equal(fingerprintThreshold, Number(`0.${percent}`));
    }
  });
});
