import type { AppRow } from '../apps/index.ts';
import { isNodeAway } from '../db/index.ts';
import { type InspectionDeps, inspectLink } from '../diagnosis/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { listLinks } from '../links/index.ts';
import { type CheckedApp, type FailingLinks, failingLinks } from './failing-links.ts';

/** The newest apps are looked at, and of each the newest links that are live and have not expired. */
const MAX_APPS = 200;
const LINKS_OF_APP = 5;
/** Sandbox links among the newest ones are passed over. */
const LINKS_READ = 20;

export interface LinkCheckDeps extends InspectionDeps, Pick<Foundation, 'db'> {}

export interface LinkCheck {
  readonly checkedAt: string;
  readonly apps: number;
  /** Beyond the newest 200, or with records on a node that is away. */
  readonly appsNotChecked: number;
  readonly failures: readonly FailingLinks[];
}

/** Runs the diagnosis for a few links of each app, the newest app first; asks no other host. @throws if the database cannot be read. */
export async function checkLinks(deps: LinkCheckDeps, apps: readonly AppRow[]): Promise<LinkCheck> {
  const checked: CheckedApp[] = [];
  // One after another: the statements of taps and calls go between.
  for (const app of apps.slice(0, MAX_APPS)) {
    const links = await findingsOf(deps, app).catch((error: unknown) => {
      if (isNodeAway(error)) return null;
      throw error;
    });
    if (links !== null) checked.push({ id: app.id, name: app.name, links });
  }
  return {
    checkedAt: isoTime(deps.clock.nowMs()),
    apps: apps.length,
    appsNotChecked: apps.length - checked.length,
    failures: failingLinks(checked),
  };
}

async function findingsOf(deps: LinkCheckDeps, app: AppRow): Promise<CheckedApp['links']> {
  const rows = await listLinks(deps.db, app.id, {
    ...{ campaignId: null, sandboxOnly: false, limit: LINKS_READ, offset: 0 },
    expiry: { state: 'active', now: isoTime(deps.clock.nowMs()) },
  });
  const links: CheckedApp['links'][number][] = [];
  for (const row of rows.filter(({ sandbox }) => sandbox === 0).slice(0, LINKS_OF_APP)) {
    const inspected = await inspectLink(deps, { row, app, mode: 'live' });
    if (inspected !== null) links.push(inspected.findings);
  }
  return links;
}
