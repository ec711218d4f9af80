import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClickRow } from '../../click-log/index.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../../lib/clock.ts';
import type { Evidence } from '../decide.ts';
import { SampleQueue } from './sample-queue.ts';
import { shadowMatch } from './shadow-match.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const MINE = 'mine';

const click = (id: string, agoMs: number, fields: Partial<ClickRow> = {}): ClickRow =>
  ({
    ...{ id, link_id: `link of ${id}`, visitor: 'human', platform: 'IOS', user_agent: IPHONE, sandbox: 0 },
    ...{
      accept_language: 'en-US',
      device_model: null,
      fingerprint: null,
      clicked_at: isoTime(NOW_MS - agoMs),
    },
    ...{ claimed_by_install: id === MINE ? 'this' : null, ...fields },
  }) as ClickRow;

const verdictOn = (...clicks: ClickRow[]) => {
  const own = clicks.find(({ id }) => id === MINE) ?? click(MINE, MINUTE_MS);
  const evidence: Evidence = {
    ...{
      nowMs: NOW_MS,
      claimant: 'install',
      debugBuild: false,
      deterministicOnly: false,
      hasReferrer: false,
    },
    ...{ windowHours: { referrer: 168, clickId: 168, fingerprint: 24 }, fingerprintEnabled: true },
    ...{ fingerprintThreshold: 0.7, referrer: null, explicit: null, installBeganAtMs: null },
    device: { platform: 'IOS', osVersion: '17.5.1', deviceModel: 'iPhone15,2', locale: 'en_US' },
    clicksFromAddress: clicks.toSorted((a, b) => (a.clicked_at < b.clicked_at ? 1 : -1)),
  };
  return shadowMatch(evidence, own).verdict;
};

describe('the shadow of a match', () => {
  it('the click of the install is a candidate again, and clicks since the install are none', () => {
    assert.equal(verdictOn(click(MINE, MINUTE_MS)), 'right');
    assert.equal(verdictOn(click(MINE, 5 * MINUTE_MS), click('later', -1)), 'right');
    assert.equal(verdictOn(click(MINE, 5 * MINUTE_MS), click('newest before', 1)), 'wrong');
  });

  it('clicks that other installs claimed stay claimed', () => {
    assert.equal(verdictOn(click('theirs', MINUTE_MS, { claimed_by_install: 'theirs' })), 'none');
    assert.equal(verdictOn(click('theirs', MINUTE_MS)), 'wrong');
  });

  it('a click that is too old to be probable or surely another device’s, or none at the address, is none', () => {
    assert.equal(verdictOn(), 'none');
    const newer = IPHONE.replace('17_5_1', '18_2').replace('Version/17.5', 'Version/18.2');
    assert.equal(verdictOn(click(MINE, MINUTE_MS, { user_agent: newer })), 'none');
    assert.equal(verdictOn(click(MINE, 20 * HOUR_MS)), 'none');
  });

  it('waiting installs are measured app by app, and an app that floods displaces no other', () => {
    const queue = new SampleQueue<string>({ ofApp: 2, all: 4 });
    const taken = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((item) => queue.add(item.slice(0, 1), item));
    assert.deepEqual(taken, [true, true, false, true, true, false]);
    const order = Array.from({ length: 5 }, () => queue.take());
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', undefined]);
  });
});
