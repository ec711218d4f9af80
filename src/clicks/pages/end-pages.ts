import type { Page } from './page.ts';

export const NOT_FOUND_PAGE: Page = {
  title: 'Link not found',
  body: '<p>This link does not exist, or it was removed.</p>',
};

export const EXPIRED_PAGE: Page = {
  title: 'Link expired',
  body: '<p>This link has expired. Ask for a new one where you found it.</p>',
};
