import { LRUCache } from 'lru-cache';
import { MINUTE_MS, monotonicMs, SECOND_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { isUnavailable } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import { type Reading, toReading } from '../platform/reading.ts';
import { isTrusted, remember } from '../platform/remember.ts';
import { apart } from '../platform/text.ts';
import { isShortCode, type LinkRow, type ResolvedLink } from './link.ts';
import { createLinkRevisions } from './link-revisions.ts';
import { findLink } from './queries.ts';
import { createLinkResolver, type ReadLink } from './resolve-links.ts';

/** The only way a short code, or the link of a click, becomes a link: for redirect, SDK and preview alike. */
export interface LinkDirectory {
  /**
   * The link behind a code; null when there is none or it was deleted. At most a second behind a change by another
   * process. With the database away, codes known here still resolve.
   * @throws AppError `database.unavailable` for a code that is not known here while the database is away.
   */
  resolve(code: string): ResolvedLink | null | Promise<ResolvedLink | null>;
  /** The link with this id, deleted or not; null where there is none. At most a second behind as well. */
  find(appId: string, linkId: string): Promise<LinkRow | null>;
  /** A code that is taken from now on is seen here at once. */
  forget(code: string): void;
  /** A change made by this process is seen here at once. */
  forgetLink(link: LinkRow): void;
}

const MAX_REMEMBERED = 100_000;
/** As JSON. Ordinary links meet the bound by number first; of links as long as may be, this is some 2,800. */
const MAX_REMEMBERED_CHARACTERS = 64 * 1024 * 1024;
/** Apart from the links, so that somebody who tries codes out cannot push known links out. */
const MAX_REMEMBERED_UNKNOWN = 10_000;

/** However its app's revision is, nothing is believed for longer: what is changed past us, in the database, is seen then. */
const TRUST_UNCHANGED_MS = MINUTE_MS;

/** Every tap meets the fault. */
const WARN_EVERY_MS = 10 * SECOND_MS;

interface Known extends ReadLink {
  readonly readAtMs: number;
}

/** What was read is believed while its app's revision stays the same, for a minute at most. */
export function createLinkDirectory(ctx: Ctx): LinkDirectory {
  const links = new LRUCache<string, Known>({
    max: MAX_REMEMBERED,
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: ({ link }) => sizeOf(link),
  });
  const unknown = new LRUCache<string, Known>({ max: MAX_REMEMBERED_UNKNOWN });
  const underWay = new Map<string, Reading<ResolvedLink | null>>();
  const revisions = createLinkRevisions(ctx);
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const resolver = createLinkResolver(ctx, revisions);
  const findRow = async (key: string) => {
    const [appId = '', linkId = ''] = key.split(' ');
    return (await findLink(ctx.db, appId, linkId)) ?? null;
  };
  const rows = remember<LinkRow | null>(ctx.clock, findRow, { maxSize: MAX_REMEMBERED_CHARACTERS, sizeOf });

  /** By the time at which it was read, or by its app's revision, as far as that is known without waiting. */
  function isCurrent(entry: Known): boolean {
    if (isTrusted(entry.readAtMs, ctx.clock.nowMs())) return true;
    if (entry.link === null || !mayBeUnchanged(entry)) return false;
    const revision = revisions.of(entry.link.appId);
    return !(revision instanceof Promise) && revision.number === entry.revision;
  }

  function mayBeUnchanged({ revision, readAtMs }: Known): boolean {
    return revision !== null && isTrusted(readAtMs, ctx.clock.nowMs(), TRUST_UNCHANGED_MS);
  }

  async function readAgain(entry: Known, link: ResolvedLink): Promise<ReadLink> {
    if (mayBeUnchanged(entry) && (await revisions.of(link.appId)).number === entry.revision) return entry;
    return await resolver.again(link);
  }

  function read(ofAddress: string, before: Known | undefined): Reading<ResolvedLink | null> {
    const code = apart(ofAddress);
    const readAtMs = ctx.clock.nowMs();
    const reading = toReading(
      (before?.link ? readAgain(before, before.link) : resolver.byCode(code))
        .then((found) => {
          const { link, revision } = found;
          // A link forgotten meanwhile was changed after this read began.
          if (found === before || underWay.get(code) !== reading) return link;
          (link === null ? unknown : links).set(code, { link, revision, readAtMs });
          (link === null ? links : unknown).delete(code);
          return link;
        })
        .finally(() => {
          if (underWay.get(code) === reading) underWay.delete(code);
        }),
    );
    underWay.set(code, reading);
    return reading;
  }

  function warn(error: unknown): void {
    if (monotonicMs() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = monotonicMs();
    ctx.log.error({ err: error }, 'links cannot be read: those that are known lead where they led');
  }

  function forget(code: string): void {
    links.delete(code);
    unknown.delete(code);
    underWay.delete(code);
  }

  return {
    resolve(code) {
      if (!isShortCode(code)) return null;
      const entry = links.get(code) ?? unknown.get(code);
      if (entry !== undefined && isCurrent(entry)) return entry.link;
      const fresh = underWay.get(code) ?? read(code, entry);
      // That nobody had a code is no answer: it may be somebody's by now.
      return entry?.link ? orStale(fresh, entry.link, warn) : orUnavailable(fresh);
    },
    find: (appId, linkId) => rows.get(rowKey(appId, linkId)),
    forget,
    forgetLink({ app_id, id, short_code }) {
      forget(short_code);
      rows.forget(rowKey(app_id, id));
    },
  };
}

/** Characters, as JSON. */
function sizeOf(link: ResolvedLink | LinkRow | null): number {
  return JSON.stringify(link).length;
}

function rowKey(appId: string, linkId: string): string {
  return `${appId} ${linkId}`;
}

async function orUnavailable({ value }: Reading<ResolvedLink | null>): Promise<ResolvedLink | null> {
  return await value.catch((error: unknown) => {
    throw isUnavailable(error) ? new AppError('database.unavailable', { cause: error }) : error;
  });
}

/** What was known before, where the database is away, fails or does not answer in time. */
async function orStale(
  { value, late }: Reading<ResolvedLink | null>,
  stale: ResolvedLink,
  warn: (error: unknown) => void,
): Promise<ResolvedLink | null> {
  const settled = value.catch((error: unknown) => {
    if (!isUnavailable(error)) warn(error);
    return stale;
  });
  return await Promise.race([settled, late.then(() => stale)]);
}
