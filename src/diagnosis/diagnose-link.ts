import type { Static } from 'typebox';
import type { AppDirectory, AssociationFiles, HostDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { type LinkDirectory, type LoopFinder, readLink, stopOf } from '../links/index.ts';
import type { AssociatedApps } from './check.ts';
import { runChecks } from './run-checks.ts';
import type { Diagnosis } from './schemas.ts';
import { simulateVisitors } from './visitors.ts';

export interface DiagnosisDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly appDirectory: AppDirectory;
  readonly hostDirectory: HostDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly loops: LoopFinder;
}

/**
 * Reports the response to each kind of visitor, and problems of the link, its app and its host. Records no click and
 * calls no other host.
 * @throws AppError `link.not_found` also for a link that the actor cannot see.
 */
export async function diagnoseLink(
  { db, clock, ids, appDirectory, hostDirectory, linkDirectory, loops }: DiagnosisDeps,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<Static<typeof Diagnosis>> {
  const row = await readLink(db, { actor, shortCode });
  const [link, app] = await Promise.all([linkDirectory.resolve(shortCode), appDirectory.get(actor.appId)]);
  if (link === null) throw new AppError('link.not_found');
  const nowMs = clock.nowMs();
  const visitors = simulateVisitors(link, { nowMs, clickId: ids.next() });
  const associated = associatedApps(await hostDirectory.filesAt(new URL(link.shortUrl).host));
  const loop = await loops.find(stopOf(link));
  const unknownLinks = await loops.findUnknown(stopOf(link));
  const findings = runChecks({
    ...{ link, row, app, visitors, associated, loop, unknownLinks, nowMs },
    mode: actor.mode,
  });
  return { shortCode, shortUrl: link.shortUrl, visitors: Object.values(visitors), findings };
}

interface AppleFile {
  readonly applinks: { readonly details: readonly { readonly appIDs: readonly string[] }[] };
}
type AndroidFile = readonly { readonly target: { readonly package_name: string } }[];

/** Reads the served bytes, as a phone does. */
function associatedApps({ apple, android }: AssociationFiles): AssociatedApps {
  const { applinks } = JSON.parse(apple.toString()) as AppleFile;
  const statements = JSON.parse(android.toString()) as AndroidFile;
  return {
    ios: applinks.details.flatMap(({ appIDs }) => appIDs),
    android: statements.map(({ target }) => target.package_name),
  };
}
