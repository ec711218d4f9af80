import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../errors.ts';
import {
  addressOf,
  deviceColumns,
  givenAddress,
  installBeganAtMs,
  platformIn,
} from './attribution-request.ts';

const NOW_MS = Date.parse('2026-01-31T12:00:00.000Z');
const NOW_S = NOW_MS / 1_000;

describe('the start of an installation', () => {
  for (const [title, server, device, expected] of [
    ['is the time of Google’s clock', NOW_S - 10, NOW_S - 500, NOW_MS - 10_000],
    ['is the latest that the clock of the phone allows, without Google’s', 0, NOW_S - 500, NOW_MS - 440_000],
    ['is unknown without either', null, null, null],
    ['may be up to a minute ahead by Google’s clock', NOW_S + 60, null, NOW_MS + 60_000],
    ['is unknown if both are in the future', NOW_S + 61, NOW_S + 1, null],
  ] as const)
    it(title, () => {
      const call = { installBeginTimestampServerSeconds: server, installBeginTimestampSeconds: device };
      assert.equal(installBeganAtMs(call, NOW_MS), expected);
    });
});

describe('the address of a phone', () => {
  const call = { fingerprint: { platform: 'IOS', ipAddress: '2001:db8::1' } };
  const actor = { appId: 'app', keyId: 'key', mode: 'live' as const, publishable: true };

  it('is that of the connection with a publishable key, which cannot choose it', () => {
    assert.equal(addressOf({ ...actor, publishable: true }, call, '198.51.100.1'), '198.51.100.1');
    assert.equal(addressOf({ ...actor, publishable: false }, call, '198.51.100.1'), '2001:db8::1');
  });

  it('is unknown if a secret key sends none, and invalid if it is no address', () => {
    assert.equal(givenAddress({ fingerprint: { platform: 'IOS', ipAddress: null } }), null);
    for (const ipAddress of ['', 'localhost', '198.51.100'])
      assert.throws(() => givenAddress({ fingerprint: { platform: 'IOS', ipAddress } }), AppError);
  });
});

describe('the device of a call', () => {
  it('has a platform in any case, and no other', () => {
    assert.equal(platformIn({ platform: 'ios' }), 'IOS');
    assert.equal(platformIn({ platform: 'Android' }), 'ANDROID');
    assert.throws(() => platformIn({ platform: 'windows' }), AppError);
  });

  it('keeps nothing but its platform, its versions and that there is no consent', () => {
    const fingerprint = {
      platform: 'IOS',
      osVersion: '18.5',
      locale: 'de_DE',
      appVersion: '1',
      sdkVersion: '2',
    };
    const columns = deviceColumns({ fingerprint, deterministicOnly: true }, 'hash');
    assert.deepEqual(
      { ...columns, fingerprint: JSON.parse(columns.fingerprint ?? '') },
      {
        platform: 'IOS',
        deterministic_only: 1,
        ...{ ip_hash: null, user_agent: null, device_model: null, os_version: null, locale: null },
        fingerprint: { appVersion: '1', sdkVersion: '2' },
      },
    );
  });
});
