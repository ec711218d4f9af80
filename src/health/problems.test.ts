import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Findings, problemsOf } from './problems.ts';

const WELL: Findings = {
  database: { ok: true },
  nodesAway: [],
  failingHosts: [],
  clicks: { ok: true, lost: 0, damagedSegments: 0 },
  failingApps: [],
  waitingApps: [],
  disk: { freeBytes: 2, reservedBytes: 1 },
  unsignedWebhooks: 0,
  isSecretUnknown: false,
  backupFailure: null,
  isBackupScheduled: false,
  appleAway: null,
  appleAdsUrl: 'https://apple.example/api/v1',
  clockDoubt: null,
  nowMs: Date.parse('2026-11-20T12:00:00Z'),
  failingLinks: [],
  webhooks: [],
  oldestErasureMs: null,
  lastBackupAt: null,
};
const HOOK = {
  ...{ appId: 'a1', appName: 'Shop', webhookId: 'w1', url: 'https://hooks.example/…', name: null },
  ...{ failed24h: 0, failingSince: null },
};
const SHOPS = [
  { id: 'a1', name: 'Shop' },
  { id: 'a2', name: 'Outlet' },
];
const MINUTES_59 = '2026-11-20T11:01:00Z';
const MINUTES_61 = '2026-11-20T10:59:00Z';

describe('problems of the service', () => {
  it('there are none while all is well, or the disk tells nothing', () => {
    assert.deepEqual(problemsOf(WELL), []);
    const others: readonly Partial<Findings>[] = [
      { disk: { freeBytes: null, reservedBytes: null } },
      { webhooks: [{ ...HOOK, failingSince: MINUTES_59 }] },
      { appleAway: { sinceMs: WELL.nowMs - 299_000, reason: 'Refused.' } },
      { lastBackupAt: '2026-11-12T12:00:00Z', oldestErasureMs: 86_400_000 },
    ];
    for (const findings of others) assert.deepEqual(problemsOf({ ...WELL, ...findings }), []);
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
    ['disk.low', { disk: { freeBytes: 3, reservedBytes: 2 } }, /nearly full.*Free space/],
    ['journal.damaged', { clicks: { ...WELL.clicks, damagedSegments: 3 } }, /: 3\. Check the disk/],
    ['clicks.lost', { clicks: { ...WELL.clicks, lost: 7 } }, /: 7\. /],
    [
      'deliveries.waiting',
      { waitingApps: ['one', 'two'] },
      /^100,000 .* of one, two\. .* none is dropped .* disable a webhook/,
    ],
    ['secret.unknown', { isSecretUnknown: true }, /does not know.*Restart this process with the new/],
    ['webhooks.unsigned', { unsignedWebhooks: 2 }, /: 2\. Their deliveries wait\. Set the secret/],
    [
      'apple_ads.unreachable',
      { appleAway: { sinceMs: WELL.nowMs - 420_000, reason: 'Apple answered with 503.' } },
      /for 7 minutes: Apple answered with 503\. .* lost\. Let the service reach https:\/\/apple\.example/,
    ],
    [
      'host.not_https',
      {
        failingLinks: [
          { code: 'host.not_https', severity: 'error', message: 'By http.', mend: 'Set https.', apps: SHOPS },
        ],
      },
      /^Every link of Shop, Outlet fails\. By http\. Set https\.$/,
    ],
    [
      'webhooks.failing',
      { webhooks: [{ ...HOOK, failingSince: MINUTES_61 }] },
      /more than an hour: Shop to https:\/\/hooks\.example\/…\. .* Mend the receiver/,
    ],
    [
      'deliveries.abandoned',
      { webhooks: [{ ...HOOK, failed24h: 1_200 }] },
      /last 24 hours: 1,200 of Shop to https:\/\/hooks\.example\/…\. .* Recover/,
    ],
    ['erasures.waiting', { oldestErasureMs: 90_000_000 }, /for 1 day\. .* Look for its cause/],
    ['backup.old', { lastBackupAt: '2026-11-11T12:00:00Z' }, /is 9 days old\. Make one/],
    ['backup.old', { lastBackupAt: '2026-11-17T12:00:00Z', isBackupScheduled: true }, /is 3 days old/],
    [
      'backup.failing',
      { backupFailure: { reason: 'The disk is full' } },
      /fails: The disk is full\. Earlier .* Mend/,
    ],
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

  it('those that meet apps name them, so that somebody can go there', () => {
    const apps = [{ id: 'a1', name: 'Shop' }];
    const found = problemsOf({
      ...WELL,
      failingLinks: [
        { code: 'association.ios_missing', severity: 'warning', message: 'No file.', mend: 'Set it.', apps },
      ],
      webhooks: [{ ...HOOK, failed24h: 2, failingSince: MINUTES_61 }],
    });
    assert.deepEqual(
      found.map(({ code, apps: of }) => [code, of]),
      [
        ['association.ios_missing', apps],
        ['webhooks.failing', apps],
        ['deliveries.abandoned', apps],
      ],
    );
  });

  it('of the host that all apps share are told apart from those of own hosts', () => {
    const host = (name: string, isShared: boolean) => ({
      ...{ host: name, isShared, messages: ['The certificate has expired.'], apps: [] },
    });
    const failingHosts = [host('go.example.com', false), host('links.example.com', true)];
    const found = problemsOf({ ...WELL, failingHosts }).map(({ code, message }) => [
      code,
      /hosts with a problem: (\S+)/.exec(message)?.[1],
    ]);
    assert.deepEqual(found, [
      ['hosts.shared_failing', 'links.example.com'],
      ['hosts.failing', 'go.example.com'],
    ]);
  });
});
