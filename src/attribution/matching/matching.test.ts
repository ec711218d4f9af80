import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../platform/clock.ts';
import { type Candidate, matchFingerprint, type Signals, signalsOfClick, signalsOfDevice } from './index.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z');

function click(fields: Partial<Parameters<typeof signalsOfClick>[0]>): Signals {
  return signalsOfClick({
    platform: 'IOS',
    user_agent: null,
    accept_language: null,
    device_model: null,
    fingerprint: null,
    ...fields,
  });
}

function candidate(signals: Partial<Signals>, fields: Partial<Candidate> = {}): Candidate {
  const nothing: Signals = { osVersion: null, model: null, language: null, timezone: null, screen: null };
  return {
    clickId: 'click',
    clickedAtMs: NOW_MS - 60_000,
    signals: { ...nothing, ...signals },
    device: 'device',
    ...fields,
  };
}

const IPHONE = signalsOfDevice({
  platform: 'IOS',
  osVersion: '17.5.1',
  deviceModel: 'iPhone15,2',
  locale: 'en_US',
});
const SAME = { osVersion: '17.5', model: 'iphone', language: 'en-us' };

describe('signals', () => {
  it('Safari 26 hides its version behind a frozen 18_6: the major stands in Version/', () => {
    const user_agent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1';
    assert.deepEqual(click({ user_agent }), {
      osVersion: '26',
      model: 'iphone',
      language: null,
      timezone: null,
      screen: null,
    });
  });

  it('Chrome on Android hides version and model, so they are unknown', () => {
    const user_agent =
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';
    const { osVersion, model } = click({ platform: 'ANDROID', user_agent });
    assert.deepEqual([osVersion, model], [null, null]);
  });

  it('an in-app browser on Android tells both', () => {
    const user_agent =
      'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36';
    const { osVersion, model } = click({ platform: 'ANDROID', user_agent });
    assert.deepEqual([osVersion, model], ['14', 'sm-s918b']);
  });

  it('physical and CSS pixels, underscores and hyphens, portrait and landscape come out the same', () => {
    const device = signalsOfDevice({
      platform: 'IOS',
      screenWidth: 1179,
      screenHeight: 2556,
      screenDensity: 3,
      locale: 'de_CH',
    });
    const page = click({
      fingerprint: JSON.stringify({ screenWidth: 852, screenHeight: 393, languages: ['de-CH', 'fr'] }),
    });
    assert.deepEqual(device.screen, [393, 852]);
    assert.deepEqual(page.screen, device.screen);
    assert.equal(page.language, device.language);
  });

  it('a web view’s user agent tells what an SDK leaves out', () => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
    const { osVersion, model } = signalsOfDevice({ platform: 'IOS', userAgent });
    assert.deepEqual([osVersion, model], ['17.5.1', 'iphone']);
  });

  it('the first of the accepted languages counts', () => {
    assert.equal(click({ accept_language: 'pt-BR,pt;q=0.9,en;q=0.8' }).language, 'pt-br');
    assert.equal(click({ accept_language: '*' }).language, null);
  });
});

describe('fingerprint match', () => {
  it('a phone that agrees in what is known is matched', () => {
    const match = matchFingerprint(IPHONE, [candidate(SAME)], NOW_MS);
    assert.equal(match.clickId, 'click');
  });

  it('nothing known but the address is no match', () => {
    const match = matchFingerprint(IPHONE, [candidate({})], NOW_MS);
    assert.deepEqual([match.clickId, 'reason' in match && match.reason], [null, 'below_threshold']);
  });

  it('two phones that agree alike are ambiguous, however new one of them is', () => {
    const rivals = [
      candidate(SAME, { clickId: 'a', device: 'a' }),
      candidate(SAME, { clickId: 'b', device: 'b', clickedAtMs: NOW_MS }),
    ];
    const match = matchFingerprint(IPHONE, rivals, NOW_MS);
    assert.deepEqual([match.clickId, 'reason' in match && match.reason], [null, 'ambiguous']);
  });

  it('of one device’s clicks the newest is taken, and they do not compete', () => {
    const clicks = [
      candidate(SAME, { clickId: 'old', clickedAtMs: NOW_MS - HOUR_MS }),
      candidate(SAME, { clickId: 'new' }),
    ];
    assert.equal(matchFingerprint(IPHONE, clicks, NOW_MS).clickId, 'new');
  });

  it('the phone that agrees wins over one that does not', () => {
    const other = candidate(
      { ...SAME, osVersion: '16.1', language: 'fr-fr' },
      { clickId: 'other', device: 'other', clickedAtMs: NOW_MS },
    );
    assert.equal(matchFingerprint(IPHONE, [other, candidate(SAME)], NOW_MS).clickId, 'click');
  });

  it('the older a click, the less it is worth', () => {
    const probabilities = [0, 6, 23].map((hours) => {
      const { candidates } = matchFingerprint(
        IPHONE,
        [candidate(SAME, { clickedAtMs: NOW_MS - hours * HOUR_MS })],
        NOW_MS,
      );
      return candidates[0]?.probability ?? 0;
    });
    assert.deepEqual(
      [...probabilities].sort((a, b) => b - a),
      probabilities,
    );
    assert.equal(
      matchFingerprint(IPHONE, [candidate(SAME, { clickedAtMs: NOW_MS - 23 * HOUR_MS })], NOW_MS).clickId,
      null,
    );
  });
});
