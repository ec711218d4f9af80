import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preferredLanguage } from './preferred-language.ts';
import { versionOfBrowser } from './signals.ts';

describe('what a browser tells to rules', () => {
  it('the preferred language is that with the highest weight, the first of equal ones', () => {
    const cases: Record<string, string | null> = {
      'de-AT,de;q=0.9,en;q=0.8': 'de-AT',
      'en;q=0.5, fr-CA;q=0.7, *;q=0.9': 'fr-CA',
      'en ; q=0.8 , de ; q=0.8': 'en',
      'de;q=0, en;q=0.1': 'en',
      '*': null,
      '': null,
      'de;q=0': null,
      'x<script>,en': 'en',
    };
    for (const [header, expected] of Object.entries(cases))
      assert.equal(preferredLanguage(header), expected, header);
    assert.equal(preferredLanguage(null), null);
  });

  it('the version of the system is null where a browser hides it', () => {
    const safari = (system: string, version: string) =>
      `Mozilla/5.0 (${system} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} Mobile/15E148 Safari/604.1`;
    const android = (system: string) =>
      `Mozilla/5.0 (Linux; ${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36`;
    const mac =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
    const cases = [
      [safari('iPhone; CPU iPhone OS 17_5_1', '17.5'), 'IOS', null, '17.5.1', false],
      [safari('iPhone; CPU iPhone OS 18_6', '26.1'), 'IOS', null, '26.1', true],
      [mac, 'IOS', null, '18.5', true],
      [mac, 'ANDROID', null, null, false],
      [android('Android 10; K'), 'ANDROID', null, null, false],
      [android('Android 10; K'), 'ANDROID', '15.0.0', '15', false],
      [android('Android 14; SM-S911B'), 'ANDROID', null, '14', false],
      [android('Android 14; SM-S911B'), 'IOS', null, null, false],
    ] as const;
    for (const [userAgent, platform, platformVersion, osVersion, isMinorUnsure] of cases) {
      const version = versionOfBrowser(userAgent, { platform, platformVersion });
      assert.equal(version.osVersion, osVersion, `${platform} ${userAgent}`);
      if (osVersion !== null) assert.equal(version.isMinorUnsure, isMinorUnsure, userAgent);
    }
  });
});
