import type { Platform } from '../../devices/index.ts';
import { chooseDestination, type ResolvedLink } from '../../links/index.ts';
import { linkTitle, storeList, wayList } from './link-parts.ts';
import { escapeHtml, type Page, shownHtml } from './page.ts';

/**
 * What programs read that draw a card for a link in a chat (ogp.me), with a way on for a person who comes to see it.
 * A picture is named and not loaded.
 */
export function previewPage(link: ResolvedLink, platform: Platform | null): Page {
  const title = linkTitle(link);
  const description = shownHtml(link.ogDescription ?? '') || `Opens in the app ${shownHtml(link.app.name)}`;
  return {
    title,
    head: cardTags(link, title, description),
    body: `<p><bdi>${description}</bdi></p>${waysOn(link, platform)}`,
  };
}

function cardTags({ shortUrl, ogImage }: ResolvedLink, title: string, description: string): string {
  const tags: [attribute: 'property' | 'name', name: string, html: string][] = [
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:url', escapeHtml(shortUrl)],
    ['property', 'og:type', 'website'],
    ['name', 'twitter:card', ogImage === null ? 'summary' : 'summary_large_image'],
  ];
  if (ogImage !== null) tags.push(['property', 'og:image', escapeHtml(new URL(ogImage).href)]);
  return tags.map(([attribute, name, html]) => `<meta ${attribute}="${name}" content="${html}">`).join('');
}

/** Where the redirect would lead; where that is nowhere, to the stores. No click ID: nobody can claim a preview. */
function waysOn(link: ResolvedLink, platform: Platform | null): string {
  const destination = chooseDestination(link, platform, null);
  return destination === null ? storeList(link, null) : wayList([['Continue', destination]]);
}
