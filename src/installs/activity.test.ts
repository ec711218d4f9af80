import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { activityCountsOf, activityOf, readLastOpen } from './activity.ts';

const INSTALLED_MS = Date.parse('2026-01-31T23:59:59.000Z');
const INSTALL = {
  app_id: 'app',
  id: 'install',
  sandbox: 0 as const,
  platform: 'IOS',
  attribution_method: 'ORGANIC',
  link_id: null,
  campaign_id: null,
  country: null,
  referrer: null,
  utm: null,
  os_version: null,
  fingerprint: null,
  installed_at: isoTime(INSTALLED_MS),
  active_days: 1,
  existing_user: null,
  ...{ network: null, network_name: null, network_campaign: null, network_trace: null, erased: null },
};

describe('the days on which an install was active', () => {
  for (const [title, change, ageMs, expected] of [
    ['count from midnight of the day of the install, in UTC', {}, 1_000, 0b11],
    ['are kept beside each other', { active_days: 0b101 }, 6 * DAY_MS, 0b1000101],
    ['end after the thirtieth', {}, 30 * DAY_MS, (1 << 30) | 1],
    ['have no place for the thirty-first', {}, 31 * DAY_MS, null],
    ['have none before the install, whose clock may be ahead', {}, -DAY_MS, null],
    ['change once a day', { active_days: 0b11 }, DAY_MS, null],
    ['begin anew where none is known', { active_days: null }, 0, 1],
    ['are none of an existing user', { existing_user: 1 as const }, DAY_MS, null],
  ] as const)
    it(title, () => {
      const activity = activityOf({ ...INSTALL, ...change }, INSTALLED_MS + ageMs);
      assert.equal(activity?.activeDays ?? null, expected);
    });

  it('are subtracted with a deleted install, without the day of the install itself', () => {
    assert.equal(activityCountsOf({ ...INSTALL, active_days: 0b1011 }).length, 2);
    assert.deepEqual(activityCountsOf({ ...INSTALL, active_days: null }), []);
  });
});

describe('the last open of an install', () => {
  const last_open = JSON.stringify({ linkId: 'link', campaignId: null, at: isoTime(INSTALLED_MS) });

  it('gets the credit of events for 30 days', () => {
    assert.equal(readLastOpen({ last_open }, INSTALLED_MS + 30 * DAY_MS)?.linkId, 'link');
    assert.equal(readLastOpen({ last_open }, INSTALLED_MS + 30 * DAY_MS + 1), null);
    assert.equal(readLastOpen({ last_open: null }, INSTALLED_MS), null);
  });
});
