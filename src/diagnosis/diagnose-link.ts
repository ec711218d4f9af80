import type { Static } from 'typebox';
import type { AppDirectory, AppRow, AssociationFiles, HostDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type LinkDirectory, type LinkRow, type LoopFinder, readLink, stopOf } from '../links/index.ts';
import type { AssociatedApps } from './check.ts';
import { type Finding, runChecks } from './run-checks.ts';
import type { Diagnosis } from './schemas.ts';
import { simulateVisitors, type VisitorAnswer } from './visitors.ts';

export interface InspectionDeps extends Pick<Foundation, 'clock' | 'ids'> {
  readonly hostDirectory: HostDirectory;
  readonly linkDirectory: LinkDirectory;
  readonly loops: LoopFinder;
}

export interface DiagnosisDeps extends InspectionDeps, Pick<Foundation, 'db'> {
  readonly appDirectory: AppDirectory;
}

/**
 * Reports the response to each kind of visitor, and problems of the link, its app and its host. Records no click and
 * calls no other host.
 * @throws AppError `link.not_found` also for a link that the actor cannot see.
 */
export async function diagnoseLink(
  deps: DiagnosisDeps,
  { actor, shortCode }: { actor: Actor; shortCode: string },
): Promise<Static<typeof Diagnosis>> {
  const row = await readLink(deps.db, { actor, shortCode });
  const app = await deps.appDirectory.get(actor.appId);
  const inspected = await inspectLink(deps, { row, app, mode: actor.mode });
  if (inspected === null) throw new AppError('link.not_found');
  return { shortCode, ...inspected };
}

interface Inspected {
  readonly shortUrl: string;
  readonly visitors: VisitorAnswer[];
  readonly findings: Finding[];
}

/** What `diagnoseLink` reports; null for a link that was deleted meanwhile. */
export async function inspectLink(
  { clock, ids, hostDirectory, linkDirectory, loops }: InspectionDeps,
  { row, app, mode }: { row: LinkRow; app: AppRow; mode: Actor['mode'] },
): Promise<Inspected | null> {
  const link = await linkDirectory.resolve(row.short_code);
  if (link === null) return null;
  const nowMs = clock.nowMs();
  const visitors = simulateVisitors(link, { nowMs, clickId: ids.next() });
  const associated = associatedApps(await hostDirectory.filesAt(new URL(link.shortUrl).host));
  const loop = await loops.find(stopOf(link));
  const unknownLinks = await loops.findUnknown(stopOf(link));
  const findings = runChecks({
    ...{ link, row, app, visitors, associated, loop, unknownLinks, nowMs, mode, rule: null },
  });
  return { shortUrl: link.shortUrl, visitors: Object.values(visitors), findings };
}

interface Component {
  readonly '/'?: string;
  readonly '?'?: unknown;
  readonly exclude?: boolean;
}
interface AppleFile {
  readonly applinks: {
    readonly details: readonly { readonly appIDs: readonly string[]; readonly components: Component[] }[];
  };
}
type AndroidFile = readonly {
  readonly target: { readonly package_name: string };
  readonly relation_extensions?: Readonly<
    Record<string, { readonly dynamic_app_link_components: Component[] }>
  >;
}[];

/** Those of a shared host name all its apps, and many links are inspected with the same ones. */
const read = new WeakMap<AssociationFiles, AssociatedApps>();

/** Reads the served bytes, as a phone does. */
function associatedApps(files: AssociationFiles): AssociatedApps {
  const known = read.get(files);
  if (known !== undefined) return known;
  const { applinks } = JSON.parse(files.apple.toString()) as AppleFile;
  const statements = JSON.parse(files.android.toString()) as AndroidFile;
  const rules = statements.map(({ relation_extensions: extensions = {} }) => Object.values(extensions)[0]);
  const apps = {
    ios: applinks.details.flatMap(({ appIDs }) => appIDs),
    android: statements.map(({ target }) => target.package_name),
    opens: (path: string) => ({
      ios: applinks.details.every(({ components }) => isOpened(components, path)),
      android: rules.every((rule) => rule === undefined || isOpened(rule.dynamic_app_link_components, path)),
    }),
  };
  read.set(files, apps);
  return apps;
}

/** The first component that matches decides; without one the path is not opened. */
function isOpened(components: readonly Component[], path: string): boolean {
  const found = components.find(
    (component) => component['?'] === undefined && matches(component['/'] ?? '*', path),
  );
  return found !== undefined && found.exclude !== true;
}

/** `*` stands for any characters, `?` for one. */
function matches(pattern: string, path: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('?', '.')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`).test(path);
}
