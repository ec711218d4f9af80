import type { Actor } from '../auth/index.ts';
import { findVisibleInstall, installNotFound } from '../installs/index.ts';
import { countLinksOfInviter } from '../links/index.ts';
import { INSTALLS, type ListDeps, listPage } from '../records/index.ts';
import type { ReadInTurn } from '../server/read-turns.ts';
import { countOfLink } from '../stats/index.ts';

export interface InvitationDeps extends ListDeps {
  /** Resolves once everything that this process acknowledged is in the cells of an app. */
  readonly counted: (appId: string) => Promise<void>;
  readonly inTurn: ReadInTurn;
}

/** Those of the sandbox for an install of it, and live ones for a live install. @throws AppError `install.not_found`, `request.invalid`. */
export async function listInvitations(
  deps: InvitationDeps,
  {
    actor,
    installId,
    page,
  }: { actor: Actor; installId: string; page: { readonly limit: number; readonly before?: string } },
): Promise<{ links: number; clicks: number; installs: object[] }> {
  const { appId } = actor;
  const inviter = await findVisibleInstall(deps.db, actor, installId);
  if (inviter === undefined) throw installNotFound();
  await deps.counted(appId);
  const { id: invitedBy, sandbox } = inviter;
  const input = { ...page, invitedBy, sandbox: sandbox === 1 ? 'true' : 'false' } as const;
  const [numbers, { items }] = await Promise.all([
    countLinksOfInviter(deps.db, { appId, installId: invitedBy, sandbox }, countOfLink('clicks')),
    listPage(deps, INSTALLS, { actor, input }),
  ]);
  return { ...numbers, installs: items };
}
