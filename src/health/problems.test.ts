import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Findings, problemsOf } from './problems.ts';

const WELL: Findings = {
  database: { ok: true },
  nodesAway: [],
  clicks: { ok: true, lost: 0, damagedSegments: 0 },
  failingApps: [],
  waitingApps: [],
  disk: { freeBytes: 2, reservedBytes: 1 },
  unsignedWebhooks: 0,
  clockDoubt: null,
};

describe('problems of the service', () => {
  it('there are none while all is well, or the disk tells nothing', () => {
    assert.deepEqual(problemsOf(WELL), []);
    assert.deepEqual(problemsOf({ ...WELL, disk: { freeBytes: null, reservedBytes: null } }), []);
  });

  const cases: readonly [string, Partial<Findings>, RegExp][] = [
    [
      'database.refusing',
      { database: { ok: false, reason: 'The disk is full. Free space on it.' } },
      /full\. Free/,
    ],
    ['database.refusing', { database: { ok: false, reason: null } }, /The log has the cause\.$/],
    [
      'database.node_away',
      { nodesAway: [{ host: 'db-1', port: 5432 }] },
      /: db-1:5432\. .* Start these nodes/,
    ],
    ['clicks.failing', { clicks: { ...WELL.clicks, ok: false, reason: 'Clicks wait.' } }, /^Clicks wait\.$/],
    ['clicks.failing', { clicks: { ...WELL.clicks, ok: false } }, /The log has the cause\.$/],
    ['clicks.waiting', { failingApps: ['one', 'two'] }, /of 2 apps .*: one, two\. Other apps/],
    ['disk.full', { disk: { freeBytes: 0, reservedBytes: 1 } }, /Free space/],
    ['journal.damaged', { clicks: { ...WELL.clicks, damagedSegments: 3 } }, /: 3\. Check the disk/],
    ['clicks.lost', { clicks: { ...WELL.clicks, lost: 7 } }, /: 7\. /],
    [
      'deliveries.waiting',
      { waitingApps: ['one', 'two'] },
      /^100,000 .* of one, two\. .* none is dropped .* disable a webhook/,
    ],
    ['webhooks.unsigned', { unsignedWebhooks: 2 }, /: 2\. Their deliveries wait\. Set the secret/],
    ['retention.leap', { clockDoubt: 'leap' }, /throughline retention confirm/],
    ['retention.clocks_differ', { clockDoubt: 'clocks_differ' }, /Correct the wrong clock/],
  ];
  for (const [code, findings, says] of cases)
    it(`${code} says what to do: ${says}`, () => {
      const [problem, ...others] = problemsOf({ ...WELL, ...findings });
      assert.equal(problem?.code, code);
      assert.match(problem.message, says);
      assert.deepEqual(others, []);
    });
});
