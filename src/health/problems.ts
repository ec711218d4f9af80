import type { ClusterNode } from '../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import type { CheckResult } from '../server/operations.ts';
import { type Add, type AppleAway, named, type Problem } from './problem.ts';
import { addProblemsOfUsers, type UserFindings } from './problems-of-users.ts';
import { MAX_APPS_NAMED, MAX_COUNTED } from './schemas.ts';

export interface Findings extends UserFindings {
  readonly database: CheckResult;
  /** Nodes of a cluster that do not answer. */
  readonly nodesAway: readonly ClusterNode[];
  readonly clicks: CheckResult & { readonly lost: number; readonly damagedSegments: number };
  readonly disk: { readonly freeBytes: number | null; readonly reservedBytes: number | null };
  /** Apps whose clicks cannot be stored, while those of others can. */
  readonly failingApps: readonly string[];
  /** Apps with the most deliveries that wait, the most first; empty unless as many wait as are counted. */
  readonly waitingApps: readonly string[];
  /** Webhooks whose secret cannot be decrypted. */
  readonly unsignedWebhooks: number;
  /** Whether another process uses a root secret that this one does not know. */
  readonly isSecretUnknown: boolean;
  readonly appleAway: AppleAway | null;
  readonly appleAdsUrl: string;
  /** Why retention waits, or null. */
  readonly clockDoubt: 'leap' | 'clocks_differ' | null;
}

/** In the order of their weight: what stops recording, what fails for users, what waits. */
export function problemsOf(findings: Findings): Problem[] {
  const problems: Problem[] = [];
  const add: Add = (code, sentences, apps = []) => {
    const message = sentences.filter((sentence) => sentence != null).join(' ');
    problems.push({ code, message, apps: apps.slice(0, MAX_APPS_NAMED) });
  };
  addProblemsOfRecording(add, findings);
  addProblemsOfDisk(add, findings);
  addProblemsOfUsers(add, findings);
  addProblemsOfWebhooks(add, findings);
  addProblemOfApple(add, findings);
  addProblemsOfClocks(add, findings);
  return problems;
}

function addProblemsOfRecording(add: Add, { database, nodesAway, clicks, failingApps }: Findings): void {
  if (!database.ok)
    add('database.refusing', ['The database refuses installs and events.', database.reason ?? SEE_LOG]);
  if (nodesAway.length > 0)
    add('database.node_away', [
      `Nodes of the cluster that do not answer: ${nodesAway.map(({ host, port }) => `${host}:${port}`).join(', ')}.`,
      'Calls of their apps get 503, and the clicks and erasures of these apps wait. The queues are those of the other apps.',
      'Start these nodes, or check the network.',
    ]);
  if (!clicks.ok) add('clicks.failing', [clicks.reason ?? `Clicks cannot be recorded. ${SEE_LOG}`]);
  if (failingApps.length > 0)
    add('clicks.waiting', [
      `Clicks of ${failingApps.length} apps wait in DATA_DIR and cannot be stored: ${named(failingApps)}.`,
      'Other apps are not affected. The log has the cause; on Citus, look for a node that is down.',
    ]);
}

function addProblemsOfDisk(add: Add, { clicks, disk: { freeBytes, reservedBytes } }: Findings): void {
  if (freeBytes !== null && reservedBytes !== null) {
    if (freeBytes < reservedBytes)
      add('disk.full', [
        'Only the reserve is left on the disk of DATA_DIR, so taps are redirected without a record.',
        'Free space on it.',
      ]);
    else if (freeBytes < LOW * reservedBytes)
      add('disk.low', [
        'The disk of DATA_DIR is nearly full. At half of what is free now, taps are redirected without a record.',
        'Free space on it, or shorten the retention (docs/guide/privacy.md).',
      ]);
  }
  if (clicks.damagedSegments > 0)
    add('journal.damaged', [
      `Damaged segments of the click journal are kept in DATA_DIR/journal: ${clicks.damagedSegments}.`,
      'Check the disk and the memory, then delete the files that end in .damaged.',
    ]);
  if (clicks.lost > 0)
    add('clicks.lost', [
      `Clicks that are lost since the start: ${clicks.lost}. Their visitors were redirected.`,
      'Look for the cause in the log; the count begins anew with the next start.',
    ]);
}

/** Times the reserve. */
const LOW = 2;

function addProblemsOfWebhooks(add: Add, { waitingApps, unsignedWebhooks, isSecretUnknown }: Findings): void {
  if (isSecretUnknown)
    add('secret.unknown', [
      'Another process has replaced SECRET_KEY by one that this process does not know, so clicks of one are not found by the other.',
      'Restart this process with the new SECRET_KEY, and the former one as PREVIOUS_SECRET_KEY (docs/guide/secrets.md).',
    ]);
  if (waitingApps.length > 0)
    add('deliveries.waiting', [
      `${MAX_COUNTED.toLocaleString('en')} deliveries to webhooks or more wait for an attempt. The most are of ${named(waitingApps)}.`,
      'They are sent as fast as their receivers take them, and none is dropped before its attempts are used up.',
      'Look at the health of these apps’ webhooks: mend the receiver that is down, or disable a webhook that nobody needs, which drops what waits for it.',
    ]);
  if (unsignedWebhooks > 0)
    add('webhooks.unsigned', [
      `Webhooks and destinations whose secret cannot be decrypted, since SECRET_KEY was another one: ${unsignedWebhooks}. Their deliveries wait.`,
      'Set the secret of each again; a test of it (POST /v1/webhooks/{webhookId}/test, /v1/destinations/{destinationId}/test) says whether it is missing.',
    ]);
}

/** Shorter outages are Apple's own, and pass by themselves. */
const APPLE_AWAY_MS = 5 * MINUTE_MS;

function addProblemOfApple(add: Add, { appleAway, appleAdsUrl, nowMs }: Findings): void {
  if (appleAway === null || nowMs - appleAway.sinceMs < APPLE_AWAY_MS) return;
  const minutes = Math.floor((nowMs - appleAway.sinceMs) / MINUTE_MS);
  add('apple_ads.unreachable', [
    `Apple has not answered about installs of Apple Ads for ${minutes} minutes: ${appleAway.reason}`,
    `The installs are recorded, and Apple is asked again; a token that gets no answer within ${DAY_MS / HOUR_MS} hours is lost.`,
    `Let the service reach ${appleAdsUrl} through your firewall, or correct APPLE_ADS_URL.`,
  ]);
}

function addProblemsOfClocks(add: Add, { clockDoubt }: Findings): void {
  if (clockDoubt === 'leap')
    add('retention.leap', [
      'The clock has leapt by more than a day, so no old records are dropped for an hour.',
      'Correct the clock, or if it is right, run: throughline retention confirm.',
    ]);
  if (clockDoubt === 'clocks_differ')
    add('retention.clocks_differ', [
      'The clocks of this machine and of the database are more than a day apart, so no old records are dropped.',
      'Correct the wrong clock.',
    ]);
}

const SEE_LOG = 'The log has the cause.';
