import type { Page } from './page.ts';

/** For a code that is no link's, or that of a deleted one. */
export const NOT_FOUND_PAGE: Page = {
  title: 'Link not found',
  body: '<p>This link does not exist, or it was removed.</p>',
};

/** For an expired link without a fallback. */
export const EXPIRED_PAGE: Page = {
  title: 'Link expired',
  body: '<p>This link has expired. Ask for a new one where you found it.</p>',
};

/** For whatever went wrong on the way, such as a database that is away. */
export const UNAVAILABLE_PAGE: Page = {
  title: 'Try again in a moment',
  body: '<p>This link cannot be followed right now. Load the page again in a few seconds.</p>',
};
