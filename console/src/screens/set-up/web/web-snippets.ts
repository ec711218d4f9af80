/** What somebody pastes into a web page, filled in with a link and the banner of the preview. */
import type { Link } from '@generated/types.gen.ts';
import type { BannerOptions } from '@web/index.ts';
import { baseOf, endOf } from '../../links/address-path.ts';

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

export function targetOf(link: Link): Target {
  const { passPath } = link;
  return { base: baseOf(link), code: endOf(link).replace(/^\/l\//, ''), passPath };
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
