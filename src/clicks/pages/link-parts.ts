/** What pages about a link share; HTML. */
import type { Platform } from '../../devices/index.ts';
import { chooseDestination, type ResolvedLink, storeOnWeb } from '../../links/index.ts';
import { escapeHtml, shownHtml } from './page.ts';

/** The link's own title; the app's name where it has none. */
export function linkTitle({ ogTitle, app }: ResolvedLink): string {
  return shownHtml(ogTitle ?? '') || shownHtml(app.name);
}

/** Where phones get the app. @param clickId goes along to Play; null for whom nobody can claim. */
export function storeList(link: ResolvedLink, clickId: string | null): string {
  const store = (platform: Platform) => {
    const destination = chooseDestination(link, platform, clickId);
    return destination === null ? null : storeOnWeb(destination);
  };
  return wayList([
    ['App Store', store('IOS')],
    ['Google Play', store('ANDROID')],
  ]);
}

/** Without those that have no address; an empty text where none has. @param ways their names are HTML. */
export function wayList(ways: readonly (readonly [name: string, address: string | null])[]): string {
  const items = ways.map(([name, address]) =>
    address === null ? '' : `<li><a href="${escapeHtml(address)}">${name}</a></li>`,
  );
  return items.join('') === '' ? '' : `<ul>${items.join('')}</ul>`;
}
