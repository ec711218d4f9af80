import type { Platform } from '../devices/index.ts';
import { chooseDestination, type ResolvedLink } from '../links/index.ts';
import { escapeHtml, page } from './pages.ts';

/**
 * What programs read that draw a card for a link in a chat (ogp.me), with a way on for a person who comes to see it.
 * A picture is named and not loaded.
 */
export function previewPage(link: ResolvedLink, platform: Platform | null): string {
  const appName = toHtml(link.app.name);
  const title = toHtml(link.ogTitle ?? '') || appName;
  const description = toHtml(link.ogDescription ?? '') || `Opens in the app ${appName}`;
  return page(
    title,
    `<p><bdi>${description}</bdi></p>${waysOn(link, platform)}`,
    cardTags(link, title, description),
  );
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
  if (destination !== null) return `<ul>${wayOn('Continue', destination)}</ul>`;
  const stores = [
    wayOn('App Store', chooseDestination(link, 'IOS', null)),
    wayOn('Google Play', chooseDestination(link, 'ANDROID', null)),
  ].join('');
  return stores === '' ? '' : `<ul>${stores}</ul>`;
}

function wayOn(name: string, address: string | null): string {
  return address === null ? '' : `<li><a href="${escapeHtml(address)}" rel="noreferrer">${name}</a></li>`;
}

/** Controls, and breaks between lines and paragraphs. */
const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
/** Marks that turn the direction of whatever stands behind them; those of single characters stay. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/g;

/** A card stands among what others wrote, so a link's text is one line in its own direction. */
function toHtml(text: string): string {
  return escapeHtml(text.replace(BREAKS, ' ').replace(TURNS, '').trim());
}
