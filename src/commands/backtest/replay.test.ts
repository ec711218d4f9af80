import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { Backtest } from './replay.ts';
import { readTouch } from './touches.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1';
const START_MS = Date.parse('2026-03-03T12:00:00.000Z');
const ADDRESS = '203.0.113.7';
const OTHER_ADDRESS = '192.0.2.1';

const uuid = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const click = (number: number, afterMs: number, fields: object = {}) => ({
  type: 'click',
  id: uuid(number),
  at: isoTime(START_MS + afterMs),
  userAgent: IPHONE,
  acceptLanguage: 'en-US',
  ipAddress: ADDRESS,
  signals: null,
  campaignId: null,
  ...fields,
});
const install = (number: number, afterMs: number, fields: object = {}, ipAddress = ADDRESS) => ({
  type: 'install',
  id: uuid(number),
  at: isoTime(START_MS + afterMs),
  fingerprint: {
    platform: 'IOS',
    osVersion: '17.5.1',
    deviceModel: 'iPhone15,2',
    locale: 'en_US',
    ipAddress,
  },
  ...fields,
});

function decisionsOn(touches: readonly object[]) {
  const run = new Backtest();
  return touches
    .map((touch) => run.take(readTouch(JSON.stringify(touch))))
    .filter((decision) => decision !== null);
}

describe('a backtest', () => {
  it('decides each install by the clock of its own line, with the default windows', () => {
    const decisions = decisionsOn([
      click(1, 0),
      click(2, SECOND_MS, { ipAddress: '198.51.100.9' }),
      click(3, 2 * SECOND_MS, { ipAddress: '198.51.100.9' }),
      install(11, MINUTE_MS, { installReferrer: `utm_source=x&svc_click_id=${uuid(2)}` }),
      install(12, 2 * MINUTE_MS, { clickId: uuid(2).toUpperCase() }, OTHER_ADDRESS),
      install(13, 3 * MINUTE_MS),
      install(14, 4 * MINUTE_MS),
      click(4, HOUR_MS),
      install(15, 25 * HOUR_MS + SECOND_MS),
      install(16, 7 * DAY_MS, { clickId: uuid(3) }, OTHER_ADDRESS),
      click(5, 8 * DAY_MS),
      install(17, 15 * DAY_MS + SECOND_MS, { clickId: uuid(5) }, OTHER_ADDRESS),
      install(18, 15 * DAY_MS + 2 * SECOND_MS, { clickId: uuid(6) }, OTHER_ADDRESS),
    ]);
    const { confidence } = decisions[2] ?? {};
    assert.match(String(confidence), /^0\.\d{3}$/);
    assert.deepEqual(
      decisions.map((decision) => Object.values(decision)),
      [
        [uuid(11), 'INSTALL_REFERRER', uuid(2), null, 'named'],
        [uuid(12), 'ORGANIC', null, null, 'no_candidates (CLICK_ID already_claimed)'],
        [uuid(13), 'FINGERPRINT', uuid(1), confidence, 'matched'],
        [uuid(14), 'ORGANIC', null, null, 'no_candidates'],
        [uuid(15), 'ORGANIC', null, null, 'no_candidates'],
        [uuid(16), 'CLICK_ID', uuid(3), null, 'named'],
        [uuid(17), 'ORGANIC', null, null, 'no_candidates (CLICK_ID outside_window)'],
        [uuid(18), 'ORGANIC', null, null, 'no_candidates (CLICK_ID unknown)'],
      ],
    );
  });

  it('reads the click ID from a URL in clickId, and refuses a token as malformed', () => {
    const clickIds = [
      `https://go.example.com/l/a?svc_click_id=${uuid(1)}`,
      `shop://a?b=c&svc_click_id=${uuid(2).toUpperCase()}#d`,
      'https://go.example.com/l/a?svc_click_id=a-token',
    ];
    const installs = clickIds.map((clickId, n) => install(11 + n, MINUTE_MS, { clickId }, OTHER_ADDRESS));
    const decisions = decisionsOn([click(1, 0), click(2, SECOND_MS), ...installs]);
    assert.deepEqual(
      decisions.map(({ clickId, reason }) => [clickId, reason]),
      [
        [uuid(1), 'named'],
        [uuid(2), 'named'],
        [null, 'no_candidates (CLICK_ID malformed)'],
      ],
    );
  });

  it('decides a repeated install once and claims no further click for it', () => {
    const decisions = decisionsOn([
      click(1, 0),
      install(11, MINUTE_MS),
      click(2, 2 * MINUTE_MS),
      install(11, 3 * MINUTE_MS),
      { ...install(11, 4 * MINUTE_MS, { clickId: uuid(2) }), id: uuid(11).toUpperCase() },
      install(12, 5 * MINUTE_MS, { clickId: uuid(2) }),
    ]);
    assert.deepEqual(
      decisions.map(({ installId, clickId }) => [installId, clickId]),
      [
        [uuid(11), uuid(1)],
        [uuid(12), uuid(2)],
      ],
    );
  });

  it('records a repeated click once and keeps its claim', () => {
    const decisions = decisionsOn([
      click(1, 0),
      click(1, SECOND_MS, { ipAddress: OTHER_ADDRESS }),
      install(11, MINUTE_MS, {}, OTHER_ADDRESS),
      install(12, MINUTE_MS),
      click(1, 2 * MINUTE_MS),
      install(13, 3 * MINUTE_MS, { clickId: uuid(1) }),
    ]);
    assert.deepEqual(
      decisions.map(({ reason }) => reason),
      ['no_candidates', 'matched', 'no_candidates (CLICK_ID already_claimed)'],
    );
  });

  it('refuses a line that is older than one before it', () => {
    assert.throws(() => decisionsOn([click(1, SECOND_MS), click(2, SECOND_MS), install(3, 0)]), {
      message: `at is before ${isoTime(START_MS + SECOND_MS)} of an earlier line; sort the lines by time`,
    });
  });
});

describe('a line of recorded traffic', () => {
  it('is refused with the field that is wrong', () => {
    const faults = [
      ['', /not valid JSON/],
      ['null', /not a JSON object/],
      ['[]', /not a JSON object/],
      ['"click"', /not a JSON object/],
      ['{}', /^type must be/],
      [{ ...click(1, 0), type: 'open' }, /^type must be/],
      [{ ...click(1, 0), id: 'x' }, /^id /],
      [{ ...click(1, 0), at: 'yesterday' }, /^at must be an ISO 8601 time/],
      [{ ...click(1, 0), at: 1 }, /^at /],
      [{ ...click(1, 0), at: '2026-03-03T12:00:00' }, /^at .* ends in Z or an offset/],
      [{ ...click(1, 0), at: '2026-03-03' }, /^at .* ends in Z or an offset/],
      [{ ...click(1, 0), at: '2026-03-03T25:00:00Z' }, /^at /],
      [click(1, 0, { ipAddress: '203.0.113.300' }), /^ipAddress must be an IPv4 or IPv6 address/],
      [click(1, 0, { ipAddress: '' }), /^ipAddress /],
      [install(1, 0, {}, 'unknown'), /^fingerprint\.ipAddress must be an IPv4 or IPv6 address/],
      [{ ...click(1, 0), signals: { screenWidth: 'wide' } }, /^signals\.screenWidth /],
      [{ ...install(1, 0), fingerprint: undefined }, /fingerprint/],
      [{ ...install(1, 0), fingerprint: {} }, /platform/],
      [{ ...install(1, 0), clickId: 7 }, /^clickId /],
    ] as const;
    for (const [line, message] of faults) {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      assert.throws(() => readTouch(text), { message }, text);
    }
  });

  it('may have a time in any time zone, and no address', () => {
    for (const time of ['2026-03-03T12:00Z', '2026-03-03T14:00:00.5+02:00', '2026-03-03T12:00:00-0430'])
      assert.equal(readTouch(JSON.stringify({ ...click(1, 0), at: time })).at, time);
    for (const ipAddress of [null, undefined])
      for (const line of [
        click(1, 0, { ipAddress }),
        { ...install(1, 0), fingerprint: { platform: 'IOS', ipAddress } },
      ])
        assert.equal(readTouch(JSON.stringify(line)).id, uuid(1));
  });
});
