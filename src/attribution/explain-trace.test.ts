import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainMethods, explainRejection, explainTrace } from './explain-trace.ts';
import {
  type Compared,
  type Comparison,
  presentTrace,
  type Rejection,
  readTrace,
  type Trace,
} from './trace.ts';

const ID = '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e';

const ORGANIC: Trace = {
  method: 'ORGANIC',
  windowHours: { referrer: 168, clickId: 48, fingerprint: 24 },
  referrer: 'none',
  rejections: [],
  rejected: 0,
  fingerprint: { outcome: 'disabled' },
};

const rejectedBy = (method: 'INSTALL_REFERRER' | 'CLICK_ID' | 'FINGERPRINT', ...reasons: Rejection[]) => ({
  rejections: reasons.map((reason) => ({ method, clickId: ID, reason })),
  rejected: reasons.length,
});

function compared(
  outcome: Compared['outcome'],
  ...candidates: { probability: number; comparison?: Comparison; ageSeconds?: number }[]
) {
  return {
    outcome,
    crowd: 1,
    threshold: 0.7,
    margin: 3,
    considered: candidates.length,
    candidates: candidates.map((each) => ({
      clickId: ID,
      ageSeconds: 90,
      comparison: {},
      weights: {},
      priorOdds: 1,
      device: 1,
      ...each,
    })),
  };
}

const explain = (trace: Partial<Trace>, record: 'install' | 'open' = 'install') =>
  explainTrace({ ...ORGANIC, ...trace }, record);

describe('the explanation of a decision', () => {
  it('says which name found the click', () => {
    const fingerprint = { outcome: 'not_needed' } as const;
    assert.equal(
      explain({ method: 'INSTALL_REFERRER', referrer: 'click_id', fingerprint }),
      'The Play referrer names this click.',
    );
    assert.equal(explain({ method: 'CLICK_ID', fingerprint }), 'The app sent the ID of this click.');
    assert.equal(
      explain({
        method: 'CLICK_ID',
        referrer: 'click_id',
        ...rejectedBy('INSTALL_REFERRER', 'already_claimed'),
        fingerprint,
      }),
      'The click ID in the Play referrer is already claimed by another install. The app sent the ID of this click.',
    );
  });

  it('has the score, the agreement of each signal, the age and the crowd of a fingerprint match', () => {
    const comparison = { model: 'close', screen: 'same', osVersion: 'same', timezone: 'different' } as const;
    assert.equal(
      explain({
        method: 'FINGERPRINT',
        fingerprint: {
          ...compared('matched', { probability: 0.9361, comparison, ageSeconds: 7_300 }, { probability: 0 }),
          crowd: 3.6,
        },
      }),
      '2 clicks from this network address in the last 24 hours were compared, and the best scored 0.93 where 0.7 is needed: its screen and system version agreed, its model nearly agreed, its time zone differed, it was 2 hours old and about 4 devices share the address.',
    );
  });

  it('has the best score and the threshold if no click reaches it, never rounded up to it', () => {
    const comparison = { screen: 'different' } as const;
    assert.equal(
      explain({ fingerprint: compared('below_threshold', { probability: 0.6999, comparison }) }),
      '1 click from this network address in the last 24 hours was compared, and the best scored 0.69 where 0.7 is needed: its screen differed and it was 2 minutes old.',
    );
  });

  it('says that the address alone is no evidence', () => {
    assert.equal(
      explain({ fingerprint: compared('nothing_agrees', { probability: 0.8, ageSeconds: -3 }) }),
      '1 click from this network address in the last 24 hours was compared, but the address alone is no evidence: it has no signal in common with the app and it was 0 seconds old.',
    );
  });

  it('says that two devices fit about as well', () => {
    assert.equal(
      explain({ fingerprint: compared('ambiguous', { probability: 0.5 }, { probability: 0.4 }) }),
      '2 clicks from this network address in the last 24 hours were compared, and two devices fit about as well: the best scored 0.5, but must be 3 times as probable as a click of any other device.',
    );
  });

  it('says that no click came from the address', () => {
    const fingerprint = compared('no_candidates');
    const none = 'There is no click from this network address in the last 24 hours.';
    assert.equal(explain({ fingerprint }), none);
    assert.equal(
      explain({ fingerprint, referrer: 'no_click_id' }),
      `The Play referrer names no click. ${none}`,
    );
    assert.equal(
      explain({ fingerprint, ...rejectedBy('CLICK_ID', 'unknown') }),
      `The click ID that the app sent is not that of a click of this app. ${none}`,
    );
  });

  const OF_CLICKS: readonly (readonly [Rejection, string])[] = [
    ['not_claimable', 'of a crawler, a preview or a prefetch'],
    ['sandbox', 'of a sandbox link, which needs a debug build or a test key'],
    ['outside_window', 'older than 24 hours'],
    ['after_install_began', 'younger than the start of the installation that Play reports'],
    ['already_claimed', 'already claimed by another install'],
    ['other_platform', 'of another platform'],
    ['unknown_platform', 'of a client that names no operating system'],
    ['other_model', 'of another model of device'],
    ['older_system', 'of a newer system version than that of this install'],
    ['contradicts', 'of a device that differs in two or more signals'],
  ];
  for (const [reason, text] of OF_CLICKS)
    it(`says why the clicks from the address are rejected: ${reason}`, () => {
      assert.equal(
        explain({
          fingerprint: compared('no_candidates'),
          ...rejectedBy('FINGERPRINT', reason, reason),
        }),
        `2 clicks from this network address in the last 24 hours cannot be matched: 2 are ${text}.`,
      );
    });

  for (const outcome of ['below_threshold', 'nothing_agrees'] as const)
    it(`says why if every click from the address is vetoed: ${outcome}`, () => {
      assert.equal(
        explain({
          fingerprint: compared(outcome, { probability: 0 }, { probability: 0 }),
          ...rejectedBy('FINGERPRINT', 'other_platform', 'other_model', 'contradicts'),
          rejected: 30,
        }),
        '30 clicks from this network address in the last 24 hours cannot be matched: 1 is of another platform, 1 is of another model of device, 1 is of a device that differs in two or more signals, 27 more are rejected.',
      );
    });

  const OF_NAMES: readonly (readonly [Rejection, string])[] = [
    ['malformed', 'neither a UUID nor a clipboard token of this app'],
    ['unknown', 'not that of a click of this app'],
    ['token_expired', 'a clipboard token of more than an hour ago'],
    ['not_claimable', 'of a crawler, a preview or a prefetch'],
    ['sandbox', 'of a sandbox link, which needs a debug build or a test key'],
    ['outside_window', 'older than 48 hours'],
    ['after_install_began', 'younger than the start of the installation that Play reports'],
    // A token may be claimed by an open.
    ['already_claimed', 'already claimed by another install or open'],
  ];
  const DISABLED = 'Matching by device signals is switched off for this platform in the settings of the app.';
  for (const [reason, text] of OF_NAMES)
    it(`says why a named click is rejected: ${reason}`, () => {
      assert.equal(
        explain(rejectedBy('CLICK_ID', reason)),
        `The click ID that the app sent is ${text}. ${DISABLED}`,
      );
    });

  it('has the reasons of the referrer and of the click ID', () => {
    const rejections = [
      ...rejectedBy('INSTALL_REFERRER', 'outside_window').rejections,
      ...rejectedBy('CLICK_ID', 'unknown').rejections,
    ];
    assert.equal(
      explain({ referrer: 'click_id', rejections, rejected: 2 }),
      `The click ID in the Play referrer is older than 168 hours, and the click ID that the app sent is not that of a click of this app. ${DISABLED}`,
    );
  });

  it('says why no device signals were compared, and that nothing named a click', () => {
    const unnamed = 'The app sent neither a Play referrer nor a click ID.';
    for (const [outcome, text] of [
      ['disabled', DISABLED],
      [
        'deterministic_only',
        'The app allowed deterministic matching only, so no device signals were compared.',
      ],
      [
        'no_address',
        'The network address of the device is unknown, so no clicks were compared: with a secret key send it as fingerprint.ipAddress.',
      ],
    ] as const) {
      assert.equal(explain({ fingerprint: { outcome } }), `${unnamed} ${text}`);
      assert.equal(explain({ fingerprint: { outcome } }, 'open'), `The app sent no click ID. ${text}`);
    }
  });

  it('is of an open by the link itself, too', () => {
    assert.equal(
      explainTrace({ method: 'DIRECT' }, 'open'),
      'The link itself opened the app, so no click was needed.',
    );
  });

  it('of each method has the words of the whole', () => {
    const trace: Trace = {
      ...ORGANIC,
      referrer: 'click_id',
      ...rejectedBy('INSTALL_REFERRER', 'outside_window'),
      fingerprint: compared('below_threshold', { probability: 0.5 }),
    };
    const { INSTALL_REFERRER, CLICK_ID, FINGERPRINT } = explainMethods(trace, 'install');
    assert.equal(`${INSTALL_REFERRER} ${FINGERPRINT}`, explainTrace(trace, 'install'));
    assert.equal(CLICK_ID, 'The app sent no click ID.');
  });

  it('leaves out the methods after the one that found the click', () => {
    const fingerprint = { outcome: 'not_needed' } as const;
    assert.deepEqual(explainMethods({ ...ORGANIC, method: 'INSTALL_REFERRER', fingerprint }, 'install'), {
      INSTALL_REFERRER: 'The Play referrer names this click.',
      CLICK_ID: null,
      FINGERPRINT: null,
    });
    assert.deepEqual(explainMethods({ ...ORGANIC, method: 'CLICK_ID', fingerprint }, 'install'), {
      INSTALL_REFERRER: 'The app sent no Play referrer.',
      CLICK_ID: 'The app sent the ID of this click.',
      FINGERPRINT: null,
    });
  });

  it('says of one click why it was passed over, within the window of its method', () => {
    for (const [method, hours] of [
      ['INSTALL_REFERRER', 168],
      ['CLICK_ID', 48],
      ['FINGERPRINT', 24],
    ] as const)
      assert.equal(
        explainRejection({ method, clickId: ID, reason: 'outside_window' }, ORGANIC, 'install'),
        `It is older than ${hours} hours.`,
      );
  });

  it('names a reason of another version by its code', () => {
    const rejection = { method: 'FINGERPRINT', clickId: ID, reason: 'other_galaxy' as Rejection } as const;
    assert.equal(explainRejection(rejection, ORGANIC, 'install'), 'It is other_galaxy.');
  });
});

describe('a stored trace', () => {
  it('is read as it was written', () => {
    const trace = { ...ORGANIC, fingerprint: compared('matched', { probability: 0.9 }) };
    assert.equal(JSON.stringify(readTrace(JSON.stringify(trace))), JSON.stringify(trace));
    assert.deepEqual(readTrace('{"method":"DIRECT"}'), { method: 'DIRECT' });
  });

  it('of an early version is read, without the fields that came later', () => {
    const {
      referrer: _,
      rejected: __,
      ...early
    } = { ...ORGANIC, ...rejectedBy('CLICK_ID', 'not_claimable') };
    const trace = readTrace(JSON.stringify({ ...early, later: 1 }));
    assert.deepEqual(trace, { ...early, referrer: 'none', rejected: 1, later: 1 });
    assert.match(explainTrace(trace, 'install'), /is of a crawler, a preview or a prefetch\./);
  });

  it('is shown with numbers of four decimal places', () => {
    const trace = { ...ORGANIC, fingerprint: compared('matched', { probability: 0.123456 }) };
    const shown = presentTrace(trace);
    assert.deepEqual(shown, { ...ORGANIC, fingerprint: compared('matched', { probability: 0.1235 }) });
    assert.equal(trace.fingerprint.candidates[0]?.probability, 0.123456);
  });
});
