import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/html.ts';

/** A page of the short link host. `title`, `head` and `body` are HTML; texts of links must be escaped. */
export interface Page {
  readonly title: string;
  readonly body: string;
  /** Further elements of `<head>`. */
  readonly head?: string;
  readonly language?: string;
  readonly direction?: 'ltr' | 'rtl';
  /** The body's `data-` attributes, for the script; null omits one. */
  readonly data?: Readonly<Record<string, string | null>>;
  /** Constant text, without texts of links: the Content-Security-Policy of each script is cached. */
  readonly script?: string;
}

const STYLE =
  `:root{color-scheme:light dark;--ink:#16181d;--ground:#fff;--quiet:#5b6170;--accent:#1f5eff;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#f1f2f5;--ground:#14161b;--quiet:#a3a9b8;--accent:#8fb0ff;--on:#0d1530}}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;background:var(--ground);color:var(--ink);font:1.1rem/1.5 system-ui,sans-serif}
main{box-sizing:border-box;width:100%;max-width:30rem;padding:2rem 1.5rem;text-align:center;overflow-wrap:anywhere}
h1{margin:0 0 .75rem;font-size:1.75rem;line-height:1.25}
bdi{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
p{margin:0 0 1rem}
[hidden]{display:block;visibility:hidden}
ul{margin:0;padding:0;list-style:none}
a{color:var(--accent);display:inline-block;padding:.6rem}
.main{display:block;margin:1.5rem 0 .5rem;padding:.9rem 1.5rem;border-radius:.9rem;background:var(--accent);color:var(--on);font-weight:600;text-decoration:none}
.quiet{color:var(--quiet);font-size:.95rem}`.replaceAll('\n', '');

export function renderPage({
  title,
  body,
  head = '',
  language = 'en',
  direction = 'ltr',
  data,
  script,
}: Page): string {
  const attributes = Object.entries(data ?? {}).map(([name, value]) =>
    value === null ? '' : ` data-${name}="${escapeHtml(value)}"`,
  );
  const end = script === undefined ? '' : `<script>${script}</script>`;
  return `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title>${head}<style>${STYLE}</style></head><body${attributes.join('')}><main><h1><bdi>${title}</bdi></h1>${body}</main>${end}</body></html>`;
}

/** The policy allows no subresources, and only the page's own script, which may call this service. */
export function pageHeaders({ script = '' }: Page): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(script),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
}

const policies = new Map<string, string>();

function policyFor(script: string): string {
  let policy = policies.get(script);
  if (policy === undefined) {
    const own = script === '' ? '' : `; script-src ${hashSource(script)}; connect-src 'self'`;
    policy = `default-src 'none'; style-src ${hashSource(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'${own}`;
    policies.set(script, policy);
  }
  return policy;
}

/** https://www.w3.org/TR/CSP3/#grammardef-hash-source */
function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
