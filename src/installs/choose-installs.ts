import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Actor, canSee } from '../apps/index.ts';
import {
  findInstall,
  type InstallChoice,
  listInstallRows,
  listInstallsByTime,
  listInstallsOf,
} from '../attribution/index.ts';
import { findShortCode } from '../links/index.ts';
import { isMoment, isoTime, LATEST_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import type { DeleteInstallsInput } from './schemas.ts';

/** A request of installs, checked: its address and link are looked up. */
interface InstallFilter {
  readonly installIds: readonly string[] | null;
  readonly ipHash: string | null;
  /** ISO 8601; `from` is included, `to` is not. */
  readonly from: string;
  readonly to: string;
  readonly linkId: string | null;
  readonly method: string | null;
}

/**
 * @throws AppError `request.invalid` for a request that would match every install; `install.not_found` and
 * `link.not_found` for what the caller cannot see.
 */
export async function readFilter(
  ctx: Ctx,
  actor: Actor,
  { installIds, sameAddressAs, from, to, shortCode, method }: DeleteInstallsInput,
): Promise<InstallFilter> {
  if (installIds === undefined && sameAddressAs === undefined && from === undefined)
    throw new AppError('request.invalid', { message: 'Send installIds, sameAddressAs or from.' });
  if (to !== undefined && from === undefined)
    throw new AppError('request.invalid', { message: 'to needs from. Send both.' });
  return {
    installIds: installIds?.map((id) => id.toLowerCase()) ?? null,
    ipHash: sameAddressAs === undefined ? null : await addressOf(ctx, actor, sameAddressAs.toLowerCase()),
    from: from === undefined ? isoTime(0) : toTime('from', from),
    to: to === undefined ? isoTime(LATEST_MS) : toTime('to', to),
    linkId: shortCode === undefined ? null : await linkIdOf(ctx, actor, shortCode),
    method: method ?? null,
  };
}

/** Yields the installs that match and that the caller may see, some at a time. */
export async function* chooseInstalls(
  ctx: Ctx,
  actor: Actor,
  filter: InstallFilter,
): AsyncGenerator<readonly InstallChoice[]> {
  for await (const installs of candidates(ctx, actor.appId, filter)) {
    await yieldToEventLoop();
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

/** So few rows are read at once that SQLite, which reads on this thread, keeps others waiting for milliseconds only. */
const MARKS_AT_ONCE = 500;
const ROWS_AT_ONCE = 100;

/** By the index that the filter allows; the other conditions are left to the caller. */
async function* candidates(
  { db }: Ctx,
  appId: string,
  { installIds, ipHash, from, to }: InstallFilter,
): AsyncGenerator<InstallChoice[]> {
  if (installIds !== null) {
    const installs = await listInstallRows(db, appId, installIds);
    yield installs.filter((install) => ipHash === null || install.ip_hash === ipHash);
    return;
  }
  let after: InstallChoice | null = null;
  for (;;) {
    const limit = ipHash === null ? MARKS_AT_ONCE : ROWS_AT_ONCE;
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

async function addressOf({ db }: Ctx, actor: Actor, installId: string): Promise<string> {
  const install = await findInstall(db, actor.appId, installId);
  if (install === undefined || !canSee(actor, install))
    throw new AppError('install.not_found', {
      message: 'sameAddressAs is the id of no install. Send the id of one that is still recorded.',
    });
  if (install.ip_hash === null)
    throw new AppError('request.invalid', {
      message: 'The address of the install sameAddressAs is not kept. Send another install, or from and to.',
    });
  return install.ip_hash;
}

async function linkIdOf({ db }: Ctx, { appId }: Actor, shortCode: string): Promise<string> {
  const entry = await findShortCode(db, shortCode);
  if (entry?.app_id !== appId) throw new AppError('link.not_found');
  return entry.link_id;
}

function toTime(name: string, text: string): string {
  const ms = isMoment(text) ? Date.parse(text) : Number.NaN;
  if (!(ms >= 0 && ms <= LATEST_MS))
    throw new AppError('request.invalid', {
      message: `${name} must be a date-time with a zone, such as 2026-01-31T12:00:00Z.`,
    });
  return isoTime(ms);
}
