/** HTML parts shared by the pages of a link. */
import type { Platform } from '../../devices/index.ts';
import { escapeHtml, textHtml } from '../../lib/html.ts';
import { chooseDestination, type ResolvedLink, storeOnWeb } from '../../links/index.ts';
import type { LinkByPlatform } from '../link-by-platform.ts';

/** The link's own title, else the app's name. */
export function linkTitle({ ogTitle, app }: ResolvedLink): string {
  return textHtml(ogTitle ?? '') || textHtml(app.name);
}

/** Links to the app's stores. @param clickId added to the Play address; null for a click that could not be written. */
export function storeList(linkOn: LinkByPlatform, clickId: string | null): string {
  const store = (platform: Platform) => {
    const destination = chooseDestination(linkOn(platform), platform, clickId);
    return destination === null ? null : storeOnWeb(destination);
  };
  return anchorList([
    ['App Store', store('IOS')],
    ['Google Play', store('ANDROID')],
  ]);
}

/** Omits entries without an address; empty if none has one. @param anchors with names in HTML. */
export function anchorList(anchors: readonly (readonly [name: string, address: string | null])[]): string {
  const items = anchors.map(([name, address]) =>
    address === null ? '' : `<li><a href="${escapeHtml(address)}">${name}</a></li>`,
  );
  return items.join('') === '' ? '' : `<ul>${items.join('')}</ul>`;
}
