import type { Ctx } from '../platform/ctx.ts';
import { isUnavailable } from '../platform/db/index.ts';
import { type Reading, toReading } from '../platform/reading.ts';
import { isTrusted, remember } from '../platform/remember.ts';
import { type AssociationFiles, makeAssociationFiles } from './association-files.ts';
import { listApps, listOwnHosts } from './queries.ts';
import { hostNameOf } from './short-link-host.ts';

/**
 * What is found at which host, which is given as the `Host` header has it. At most a second behind a change by another
 * process; with the database away, as it was last.
 */
export interface HostDirectory {
  /** The app that has this host for itself; undefined where all apps are. For the hottest path: it never fails. */
  ownerOf(host: string): string | undefined | Promise<string | undefined>;
  /** @throws AppError where the database is away and was never read. */
  filesAt(host: string): Promise<AssociationFiles>;
  /** A change made by this process is seen here at once. */
  refresh(): Promise<void>;
}

interface FilesByHost {
  readonly own: ReadonlyMap<string, AssociationFiles>;
  /** Of the apps without a host of their own. */
  readonly shared: AssociationFiles;
}

/** All hosts are read at once: one key, however many names strangers make up. */
const ALL_HOSTS = 'all';

/** Resolves when the hosts were read, or could not be: no start fails for that. */
export async function createHostDirectory(ctx: Ctx): Promise<HostDirectory> {
  const owners = createOwners(ctx);
  await owners.read();

  const basePath = new URL(ctx.config.shortLinkUrl).pathname.replace(/\/+$/, '');
  let lastFiles: FilesByHost | undefined;
  const files = remember(ctx.clock, async () => {
    lastFiles = await readFiles(ctx, basePath);
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

/** Which app has which host, apart from the files: a tap costs no more than a look at a map that is mostly empty. */
function createOwners(ctx: Ctx) {
  let known: { readonly hosts: ReadonlyMap<string, string>; readonly readAtMs: number } | undefined;
  let underWay: Reading<void> | undefined;

  const find = (host: string) => (known?.hosts.size ? known.hosts.get(hostNameOf(host)) : undefined);

  function read(): Reading<void> {
    const readAtMs = ctx.clock.nowMs();
    const reading: Reading<void> = toReading(
      listOwnHosts(ctx.db)
        .then((apps) => {
          // Another reading that began later knows better.
          if (underWay === reading)
            known = { hosts: new Map(apps.map(({ id, short_link_host: host }) => [host, id])), readAtMs };
        })
        .catch((error: unknown) => {
          if (!isUnavailable(error)) ctx.log.error({ err: error }, 'the short link hosts could not be read');
        })
        .finally(() => {
          if (underWay === reading) underWay = undefined;
        }),
    );
    underWay = reading;
    return reading;
  }

  return {
    read: () => read().value,
    of(host: string) {
      if (known !== undefined && isTrusted(known.readAtMs, ctx.clock.nowMs())) return find(host);
      const { value, late } = underWay ?? read();
      return Promise.race([value, late]).then(() => find(host));
    },
  };
}

async function readFiles(ctx: Ctx, basePath: string): Promise<FilesByHost> {
  const apps = await listApps(ctx.db);
  const own = apps.flatMap((app) =>
    app.short_link_host === null
      ? []
      : [[app.short_link_host, makeAssociationFiles([app], basePath)] as const],
  );
  const others = apps.filter(({ short_link_host: host }) => host === null);
  return { own: new Map(own), shared: makeAssociationFiles(others, basePath) };
}
