import type { Platform } from '../../devices/index.ts';
import { escapeHtml, textHtml } from '../../lib/html.ts';
import { chooseDestination, type ResolvedLink, type RoutedLink } from '../../links/index.ts';
import type { LinkByPlatform } from '../link-by-platform.ts';
import { anchorList, linkTitle, storeList } from './link-parts.ts';
import type { Page } from './page.ts';

/**
 * The Open Graph page (ogp.me) for link preview bots, with links for a person who opens it: by their click ID, a person whose
 * browser looks like a bot is attributed as well.
 */
export function previewPage(
  link: RoutedLink,
  visit: { platform: Platform | null; clickId: string | null; linkOn: LinkByPlatform },
): Page {
  const title = linkTitle(link);
  const description = textHtml(link.ogDescription ?? '') || `Opens in the app ${textHtml(link.app.name)}`;
  return {
    title,
    head: openGraphTags(link, title, description),
    body: `<p><bdi>${description}</bdi></p>${destinationList(link, visit)}`,
  };
}

function openGraphTags({ shortUrl, ogImage }: ResolvedLink, title: string, description: string): string {
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

/** The redirect's destination, else the stores. */
function destinationList(
  link: RoutedLink,
  { platform, clickId, linkOn }: Parameters<typeof previewPage>[1],
): string {
  const destination = chooseDestination(link, platform, clickId);
  return destination === null ? storeList(linkOn, clickId) : anchorList([['Continue', destination]]);
}
