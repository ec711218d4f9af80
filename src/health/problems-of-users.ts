/** What works for the service and fails for the people who use it. */
import { DAY_MS, HOUR_MS } from '../lib/clock.ts';
import { isOldBackup } from '../lib/data-dir/index.ts';
import type { FailingLinks, NamedApp } from './failing-links.ts';
import { type Add, named } from './problem.ts';

export interface NamedWebhook {
  readonly appId: string;
  readonly appName: string;
  readonly webhookId: string;
  /** Masked. */
  readonly url: string;
  /** Of a destination; null for a webhook. */
  readonly name: string | null;
  readonly failed24h: number;
  readonly failingSince: string | null;
}

export interface FailingHost {
  readonly host: string;
  /** By all apps without a host of their own. */
  readonly isShared: boolean;
  /** Of the problems that were told. */
  readonly messages: readonly string[];
  readonly apps: readonly NamedApp[];
}

export interface UserFindings {
  readonly nowMs: number;
  readonly failingLinks: readonly FailingLinks[];
  readonly webhooks: readonly NamedWebhook[];
  readonly failingHosts: readonly FailingHost[];
  readonly oldestErasureMs: number | null;
  /** Null if none is known. */
  readonly lastBackupAt: string | null;
  /** Why the last scheduled backup failed. */
  readonly backupFailure: { readonly reason: string } | null;
  readonly isBackupScheduled: boolean;
}

/** A receiver that restarts fails for less. */
const FAILS_FOR_LONG_MS = HOUR_MS;

export function addProblemsOfUsers(add: Add, findings: UserFindings): void {
  for (const { code, severity, message, mend, apps } of findings.failingLinks) {
    const fails = severity === 'error' ? 'fails.' : 'fails to open the app on some phones.';
    add(code, [`Every link of ${named(apps.map(({ name }) => name))} ${fails}`, message, mend], apps);
  }
  addProblemsOfHosts(add, findings);
  addProblemsOfReceivers(add, findings);
  const { oldestErasureMs } = findings;
  if (oldestErasureMs !== null && oldestErasureMs > DAY_MS)
    add('erasures.waiting', [
      `An erasure has waited for ${daysOf(oldestErasureMs)}. It is promised to people, and completes within 15 minutes where nothing is wrong.`,
      'Look for its cause in the log: it fails, or a process cannot store clicks of the app, or a node of the database is away (docs/guide/alerts.md).',
    ]);
  addProblemsOfBackups(add, findings);
}

/** By themselves, so that an alert for the service's own host does not pass for that of an app which nobody mends. */
function addProblemsOfHosts(add: Add, { failingHosts }: UserFindings): void {
  const [shared, own] = [true, false].map((of) => failingHosts.filter(({ isShared }) => isShared === of));
  for (const [code, hosts = []] of [
    ['hosts.shared_failing', shared] as const,
    ['hosts.failing', own] as const,
  ])
    if (hosts.length > 0)
      add(
        code,
        [
          `Short link hosts with a problem: ${named(hosts.map(({ host, messages }) => `${host} (${messages.join(' ')})`))}.`,
          'Settings of the app in the console say what to do, and look again (docs/guide/domain.md).',
        ],
        hosts.flatMap(({ apps }) => apps),
      );
}

function addProblemsOfBackups(add: Add, findings: UserFindings): void {
  const { nowMs, lastBackupAt, backupFailure, isBackupScheduled } = findings;
  if (backupFailure !== null)
    add('backup.failing', [
      `The scheduled backup fails: ${backupFailure.reason.replace(/\.?$/, '.')}`,
      'Earlier backups are kept, and it is tried again every 15 minutes. Mend the folder in BACKUP_DIR.',
    ]);
  const backupAgeMs = lastBackupAt === null ? 0 : nowMs - Date.parse(lastBackupAt);
  if (isOldBackup(backupAgeMs, { isScheduled: isBackupScheduled }))
    add('backup.old', [
      `The last backup is ${daysOf(backupAgeMs)} old.`,
      'Make one each day (docs/guide/backup.md).',
    ]);
}

function addProblemsOfReceivers(add: Add, { nowMs, webhooks }: UserFindings): void {
  const failing = webhooks.filter(
    ({ failingSince }) => failingSince !== null && nowMs - Date.parse(failingSince) > FAILS_FOR_LONG_MS,
  );
  if (failing.length > 0)
    add(
      'webhooks.failing',
      [
        `Webhooks and destinations that have failed for more than an hour: ${named(failing.map(nameOf))}.`,
        'Their attempts and the answers of their receivers are in the console, under Webhooks and Destinations of the app. Mend the receiver, or disable one that nobody needs.',
      ],
      appsOf(failing),
    );
  const abandoned = webhooks.filter(({ failed24h }) => failed24h > 0);
  if (abandoned.length > 0)
    add(
      'deliveries.abandoned',
      [
        `Deliveries that were given up in the last 24 hours: ${named(abandoned.map((each) => `${each.failed24h.toLocaleString('en')} of ${nameOf(each)}`))}.`,
        'Once the receiver works, send them again with Recover, under Webhooks or Destinations of the app (docs/guide/webhooks.md).',
      ],
      appsOf(abandoned),
    );
}

function nameOf({ appName, url, name }: NamedWebhook): string {
  return `${appName} to ${name ?? url}`;
}

function appsOf(webhooks: readonly NamedWebhook[]): NamedApp[] {
  return [...new Map(webhooks.map(({ appId, appName }) => [appId, { id: appId, name: appName }])).values()];
}

function daysOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}
