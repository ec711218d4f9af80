import type { LinkRow } from '../link.ts';
import type { LinkDirectory } from '../look-up/link-directory.ts';
import { type RoutedClick, routeRow } from './route-link.ts';

interface ClickOfLink extends RoutedClick {
  readonly app_id: string;
  readonly link_id: string;
  readonly rule_id: string | null;
}

/**
 * The link that a click followed, even if it was deleted since: its own fields as they are now, those of the click's rule as
 * they were at the tap.
 */
export async function linkOfClick(
  directory: Pick<LinkDirectory, 'find' | 'findRule'>,
  click: ClickOfLink,
): Promise<LinkRow | undefined> {
  const { app_id: appId, link_id: linkId, rule_id: id } = click;
  const row = await directory.find(appId, linkId);
  if (row === undefined) return undefined;
  const rule = id === null ? undefined : await directory.findRule({ appId, linkId, id });
  return routeRow(row, click, rule ?? null);
}
