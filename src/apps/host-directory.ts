import { type Db, isUnavailable } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { createCache, isFresh, type PendingRead, toPendingRead } from '../lib/cache.ts';
import type { AppRow } from './app.ts';
import { type AssociationFiles, makeAssociationFiles } from './association-files.ts';
import { listApps, listOwnHosts } from './queries.ts';
import { hostNameOf } from './short-link-host.ts';

/**
 * Apps and association files by `Host` header. At most a second behind a change by another process; stale while the
 * database is unavailable.
 */
export interface HostDirectory {
  /** The app with this host of its own; undefined for a shared host. Never fails. */
  ownerOf(host: string): Promise<string | undefined>;
  /** @throws if the database is unavailable and was never read. */
  filesAt(host: string): Promise<AssociationFiles>;
  /** Call it after a change in this process. */
  refresh(): Promise<void>;
}

interface FilesByHost {
  readonly own: ReadonlyMap<string, AssociationFiles>;
  /** Of the apps without a host of their own. */
  readonly shared: AssociationFiles;
}

/** One key for all hosts: clients may send any number of host names. */
const ALL_HOSTS = 'all';

/** Resolves even if the first read fails. */
export async function createHostDirectory({
  db,
  clock,
  config,
  log,
}: Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>): Promise<HostDirectory> {
  const owners = createOwners({ db, clock, log });
  await owners.read();

  const basePath = new URL(config.shortLinkUrl).pathname.replace(/\/+$/, '');
  let lastFiles: FilesByHost | undefined;
  const files = createCache(clock, async () => {
    lastFiles = await readFiles(db, basePath);
    return lastFiles;
  });

  return {
    ownerOf: (host) => owners.of(host),
    async filesAt(host) {
      const { own, shared } = await files.get(ALL_HOSTS).catch((error: unknown) => {
        if (lastFiles !== undefined && isUnavailable(error)) return lastFiles;
        throw error;
      });
      return own.get(hostNameOf(host)) ?? shared;
    },
    async refresh() {
      files.forget(ALL_HOSTS);
      await owners.read();
    },
  };
}

/** Without the files: a redirect needs one lookup in a map that is usually empty. */
function createOwners({ db, clock, log }: Pick<Foundation, 'db' | 'clock' | 'log'>) {
  let known: { readonly hosts: ReadonlyMap<string, string>; readonly readAtMs: number } | undefined;
  let pending: PendingRead<void> | undefined;

  const find = (host: string) => (known?.hosts.size ? known.hosts.get(hostNameOf(host)) : undefined);

  function read(): PendingRead<void> {
    const readAtMs = clock.nowMs();
    const started: PendingRead<void> = toPendingRead(
      listOwnHosts(db)
        .then((apps) => {
          // A later read supersedes this one.
          if (pending === started)
            known = { hosts: new Map(apps.map(({ id, short_link_host: host }) => [host, id])), readAtMs };
        })
        .catch((error: unknown) => {
          if (!isUnavailable(error)) log.error({ err: error }, 'Failed to read the short link hosts');
        })
        .finally(() => {
          if (pending === started) pending = undefined;
        }),
    );
    pending = started;
    return started;
  }

  return {
    read: () => read().value,
    async of(host: string) {
      if (known !== undefined && isFresh(known.readAtMs, clock.nowMs())) return find(host);
      const { value, timeout } = pending ?? read();
      await Promise.race([value, timeout]);
      return find(host);
    },
  };
}

async function readFiles(db: Db, basePath: string): Promise<FilesByHost> {
  const apps = await listApps(db);
  const own = apps.flatMap((app) =>
    app.short_link_host === null ? [] : [[app.short_link_host, filesOf(app, basePath)] as const],
  );
  const others = apps.filter(({ short_link_host: host }) => host === null);
  return {
    own: new Map(own),
    shared: makeAssociationFiles(others, { basePath, hasPaths: false, hasLongLinks: false }),
  };
}

function filesOf(app: AppRow, basePath: string): AssociationFiles {
  const hasLongLinks = app.firebase_long_links !== null;
  return makeAssociationFiles([app], { basePath, hasPaths: true, hasLongLinks });
}
