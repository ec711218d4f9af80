/**
 * Escapes what Discord or Teams would read as markup, also at the start of each line, and no more: a backslash too many
 * is visible in some of the apps of Teams. Underscores inside a word mean nothing to either.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKUP, '\\$&');
}

const MARKUP = new RegExp(
  [
    /[\\*~`|<>[\]]/, // emphasis, code, spoilers, mentions, links
    /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/,
    /^[-+#]|(?<=^\d+)[.)](?=\s|$)/, // lists and headings, at the start of a line
    /@(?=everyone|here)/,
    /:(?=\/\/)/, // addresses that become links
    /&(?=#?\w+;)/, // entities, in Teams
    /(?<=[{$])\{/, // {{DATE(…)}} and ${…}, in Teams
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);
