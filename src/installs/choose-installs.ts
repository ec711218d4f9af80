import { type Actor, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isMoment, isoTime, LATEST_MS } from '../lib/clock.ts';
import { findLinkIdByName } from '../links/index.ts';
import {
  CHOICE_COLUMNS,
  findVisibleInstall,
  type InstallChoice,
  listInstalls,
  listInstallsByTime,
  listInstallsOf,
} from './queries.ts';
import type { DeleteInstallsInput } from './schemas.ts';

/** A validated request, with its address and link resolved. */
interface InstallFilter {
  readonly installIds: readonly string[] | null;
  readonly ipHash: string | null;
  /** ISO 8601, inclusive. */
  readonly from: string;
  /** ISO 8601, exclusive. */
  readonly to: string;
  readonly linkId: string | null;
  readonly method: string | null;
}

/** @throws AppError `request.invalid` if the request would match every install; `install.not_found`; `link.not_found`. */
export async function readFilter(
  db: Db,
  actor: Actor,
  { installIds, sameAddressAs, from, to, shortCode, method }: DeleteInstallsInput,
): Promise<InstallFilter> {
  if (installIds === undefined && sameAddressAs === undefined && from === undefined)
    throw new AppError('request.invalid', { message: 'Send installIds, sameAddressAs or from.' });
  if (to !== undefined && from === undefined)
    throw new AppError('request.invalid', { message: 'to needs from. Send both.' });
  return {
    installIds: installIds?.map((id) => id.toLowerCase()) ?? null,
    ipHash: sameAddressAs === undefined ? null : await addressOf(db, actor, sameAddressAs),
    from: from === undefined ? isoTime(0) : toTime('from', from),
    to: to === undefined ? isoTime(LATEST_MS) : toTime('to', to),
    linkId: shortCode === undefined ? null : await linkIdOf(db, actor, shortCode),
    method: method ?? null,
  };
}

/** Yields batches of the installs that match and that the caller may see. */
export async function* chooseInstalls(
  db: Db,
  actor: Actor,
  filter: InstallFilter,
): AsyncGenerator<readonly InstallChoice[]> {
  for await (const installs of candidates(db, actor.appId, filter)) {
    yield installs.filter(
      (install) =>
        canSee(actor, install) &&
        install.installed_at >= filter.from &&
        install.installed_at < filter.to &&
        (filter.linkId === null || install.link_id === filter.linkId) &&
        (filter.method === null || install.attribution_method === filter.method),
    );
  }
}

/** Bound a statement, during which other reads of SQLite wait. */
const CHOICES_PER_PAGE = 500;
const ROWS_PER_PAGE = 100;

/** Uses the index that the filter allows; the caller checks the other conditions. */
async function* candidates(
  db: Db,
  appId: string,
  { installIds, ipHash, from, to }: InstallFilter,
): AsyncGenerator<InstallChoice[]> {
  if (installIds !== null) {
    const installs = await listInstalls(db, appId, installIds, [...CHOICE_COLUMNS, 'ip_hash']);
    yield installs.filter((install) => ipHash === null || install.ip_hash === ipHash);
    return;
  }
  let after: InstallChoice | null = null;
  for (;;) {
    const limit = ipHash === null ? CHOICES_PER_PAGE : ROWS_PER_PAGE;
    const installs: InstallChoice[] =
      ipHash === null
        ? await listInstallsByTime(db, appId, { from, to, after, limit })
        : await listInstallsOf(db, appId, {
            column: 'ip_hash',
            value: ipHash,
            after: after?.id ?? null,
            limit,
          });
    yield installs;
    if (installs.length < limit) return;
    after = installs.at(-1) ?? null;
  }
}

async function addressOf(db: Db, actor: Actor, installId: string): Promise<string> {
  const install = await findVisibleInstall(db, actor, installId);
  if (install === undefined)
    throw new AppError('install.not_found', {
      message: 'sameAddressAs is not the id of a recorded install. Send the id of one that is.',
    });
  if (install.ip_hash === null)
    throw new AppError('request.invalid', {
      message: 'The install sameAddressAs has no stored address. Send another install, or from and to.',
    });
  return install.ip_hash;
}

async function linkIdOf(db: Db, actor: Actor, shortCode: string): Promise<string> {
  const linkId = await findLinkIdByName(db, actor.appId, shortCode);
  if (linkId === undefined) throw new AppError('link.not_found');
  return linkId;
}

function toTime(name: string, text: string): string {
  const ms = isMoment(text) ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0 && ms <= LATEST_MS))
    throw new AppError('request.invalid', {
      message: `${name} must be a date-time with a zone, such as 2026-01-31T12:00:00Z.`,
    });
  return isoTime(ms);
}
