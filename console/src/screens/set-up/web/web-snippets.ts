/** What somebody pastes into a web page, filled in with a link and the banner of the preview. */
import type { Link } from '@generated/types.gen.ts';
import type { BannerOptions } from '@web/index.ts';

export interface Target {
  /** Of the short links, as the package takes it. */
  readonly base: string;
  readonly code: string;
  readonly passPath: boolean;
}

export type Look = Required<
  Pick<BannerOptions, 'title' | 'text' | 'button' | 'close' | 'language' | 'position' | 'color'>
> & { readonly theme: 'auto' | 'light' | 'dark' };

/** What the package does without an option. */
const USUAL: Partial<Look> = {
  text: '',
  button: 'Open',
  close: 'Close',
  language: 'en',
  position: 'bottom',
  theme: 'auto',
  color: '#006882',
};

/** Where the link's own address begins, whichever of the service's hosts it has. */
export function targetOf({ shortUrl, shortCode, path, passPath }: Link): Target {
  const end = `/l/${shortCode}`;
  if (shortUrl.endsWith(end)) return { base: shortUrl.slice(0, -end.length), code: shortCode, passPath };
  return { base: new URL(shortUrl).origin, code: `/${path ?? shortCode}`, passPath };
}

/** Options that differ from the usual. */
function givenOf(look: Look): [name: string, value: string][] {
  return Object.entries(look).filter(([name, value]) => value !== USUAL[name as keyof Look]);
}

/** Two lines of HTML. */
export function scriptSnippet({ base, code, passPath }: Target, look: Look): string {
  const attributes = [['code', code] as const, ...givenOf(look)].map(
    ([name, value]) => `data-${name}="${escapeHtml(value)}"`,
  );
  const path = passPath ? ' data-deep-link-path' : '';
  return `<script src="${escapeHtml(base)}/sdk/web.js" defer\n  ${attributes.join(' ')}${path}></script>`;
}

export function moduleSnippet({ base, code, passPath }: Target, look: Look): string {
  const options = [['code', code] as const, ...givenOf(look)].map(
    ([name, value]) => `  ${name}: ${quote(value)},\n`,
  );
  const path = passPath ? '  deepLinkPath: () => location.pathname,\n' : '';
  const host = base.replace(/^https:\/\//, '');
  return `import { createWeb } from '@throughline/web';

const web = createWeb({ host: ${quote(host)} });
web.banner({
${options.join('')}${path}});`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
