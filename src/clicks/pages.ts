/** The few pages that a visitor of the short link host can see. They load nothing and run nothing. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

export function notFoundPage(): string {
  return page('Link not found', '<p>This link does not exist, or it was removed.</p>');
}

export function expiredPage(): string {
  return page('Link expired', '<p>This link has expired. Ask for a new one where you found it.</p>');
}

/** For visitors whose platform the link has no destination for. */
export function landingPage(stores: {
  iosDestination: string | null;
  androidDestination: string | null;
}): string {
  const items = [
    storeItem('App Store', stores.iosDestination),
    storeItem('Google Play', stores.androidDestination),
  ];
  const hasStores = items.join('') !== '';
  return page(
    'This link leads into a mobile app',
    hasStores
      ? `<p>It has no page for this device. The app is here:</p><ul>${items.join('')}</ul>`
      : '<p>It has no page for this device.</p>',
  );
}

function storeItem(name: string, address: string | null): string {
  return address === null ? '' : `<li><a href="${escapeHtml(address)}" rel="noreferrer">${name}</a></li>`;
}

/** @param title and the rest are HTML: what a link holds comes escaped. */
export function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title>${head}<style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:20vh auto;padding:0 1.5rem}</style></head><body><main><h1><bdi>${title}</bdi></h1>${body}</main></body></html>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
