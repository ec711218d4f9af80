/**
 * Who else is known. People share addresses and phones: what is known to be another user's is neither erased nor handed
 * out with what belongs to the user who was asked for. Where only an address was given, nobody is known.
 */
import { listInstalls, listInstallsOpenedByOthers, listOpenOwners } from '../attribution/index.ts';
import { listInstallsOfOthers } from '../events/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Owner, Person } from '../platform/personal-data.ts';
import type { AnyPersonalData } from './manifest.ts';

/** Of whom it is asked, and what is known to be theirs. */
export interface DataSubject {
  readonly appId: string;
  readonly userId: string | null;
  /** Installs that are the user's, or taken for it. */
  readonly own: ReadonlySet<string>;
}

/** Those of some installs that are known to be another user's: linked to it, or with its events or opens alone. */
export async function strangersAmong(
  ctx: Ctx,
  { appId, userId, own }: DataSubject,
  installs: readonly { id: string; user_id: string | null }[],
): Promise<ReadonlySet<string>> {
  if (userId === null) return new Set();
  const others = installs.filter(({ id }) => !own.has(id));
  const linked = others.filter(({ user_id }) => user_id !== null && user_id !== userId);
  const unlinked = others.filter(({ user_id }) => user_id === null).map(({ id }) => id);
  const used = await listInstallsOfOthers(ctx.db, appId, unlinked, userId);
  const opened = await listInstallsOpenedByOthers(ctx.db, appId, unlinked, userId);
  return new Set([...linked.map(({ id }) => id), ...used, ...opened]);
}

/** Leaves out of some records those that the request does not reach, or that are known to be another user's. */
export async function withoutStrangers<Row extends { id: string; sandbox: number }>(
  ctx: Ctx,
  person: Person,
  data: AnyPersonalData,
  rows: readonly Row[],
): Promise<Row[]> {
  const reached = rows.filter((row) => !person.sandboxOnly || row.sandbox === 1);
  if (person.userId === null) return reached;
  const owners = new Map(reached.map((row) => [row.id, data.ownerOf(row)]));
  const isStranger = await whoIsStranger(ctx, person, [...owners.values()]);
  return reached.filter(({ id }) => {
    const owner = owners.get(id);
    return owner !== undefined && !isStranger(owner);
  });
}

async function whoIsStranger(
  ctx: Ctx,
  { appId, userId, installs, neighbours }: Person,
  owners: readonly Owner[],
): Promise<(owner: Owner) => boolean> {
  const own = new Set([...installs, ...neighbours]);
  const openIds = owners.flatMap((each) => each.openIds.flatMap((id) => id ?? []));
  const opens = new Map((await listOpenOwners(ctx.db, appId, openIds)).map((open) => [open.id, open]));
  const installIds = new Set([
    ...owners.flatMap((each) => each.installIds.flatMap((id) => id ?? [])),
    ...[...opens.values()].flatMap(({ install_id }) => install_id ?? []),
  ]);
  const unknown = [...installIds].filter((id) => !own.has(id));
  const rows = await listInstalls(ctx.db, appId, unknown);
  const strangers = await strangersAmong(ctx, { appId, userId, own }, rows);

  const isOthers = (user: string | null) => user !== null && user !== userId;
  return (owner) => {
    if (owner.userId !== null) return isOthers(owner.userId);
    if (owner.installIds.some((id) => id !== null && own.has(id))) return false;
    return (
      owner.installIds.some((id) => id !== null && strangers.has(id)) ||
      owner.openIds.some((id) => {
        const open = opens.get(id ?? '');
        if (open === undefined) return false;
        return open.user_id === null ? strangers.has(open.install_id ?? '') : isOthers(open.user_id);
      })
    );
  };
}
