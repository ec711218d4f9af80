/** Whose invitation an install is: the one answer of apps, webhooks, records and lists. */
import type { InstallsTable } from '../db/index.ts';
import { HOUR_MS } from '../lib/clock.ts';
import type { LinkRow } from './link.ts';

/** In place of an install that made a link and was erased or deleted. */
export const FORGOTTEN_INVITER = '00000000-0000-0000-0000-000000000000';

/** Who invited the new install that came by a link: the install that made the link, if it is known and another one. */
export function inviterOf(
  link: Pick<LinkRow, 'invited_by'> | null | undefined,
  installId: string | null,
): string | null {
  const inviter = link?.invited_by ?? null;
  return inviter === FORGOTTEN_INVITER || inviter === installId ? null : inviter;
}

type Opened = Pick<InstallsTable, 'id' | 'link_id' | 'existing_user' | 'invited_by' | 'installed_at'>;

/**
 * Who invited the install that opened a link: of an install with an inviter, that one, by each of its links. One that came
 * by no link, as from the store past the link, was invited by a link that was there before it, and that it opens no later
 * than a click counts. So of two installs only the earlier one can invite the other.
 */
export function inviterByOpen(
  link: Pick<LinkRow, 'invited_by' | 'created_at'> | null | undefined,
  install: Opened | undefined,
  { windowHours, nowMs }: { windowHours: number; nowMs: number },
): string | null {
  const inviter = inviterOf(link, install?.id ?? null);
  if (inviter === null || !link || install === undefined) return null;
  if (install.invited_by !== null) return install.invited_by === inviter ? inviter : null;
  if (install.link_id !== null || install.existing_user === 1) return null;
  const installedAtMs = Date.parse(install.installed_at);
  const isBefore = Date.parse(link.created_at) < installedAtMs;
  return isBefore && nowMs - installedAtMs <= windowHours * HOUR_MS ? inviter : null;
}

/** What an app is told with a link. Of a link that an app made, `invitedBy` is ours. */
export function metadataFor(
  link: Pick<LinkRow, 'invited_by' | 'metadata'> | null | undefined,
  invitedBy: string | null,
): Record<string, unknown> {
  if (!link) return {};
  const metadata = JSON.parse(link.metadata) as Record<string, unknown>;
  if (link.invited_by === null) return metadata;
  const { invitedBy: _, ...others } = metadata;
  return invitedBy === null ? others : { ...others, invitedBy };
}
