/** Escapes Discord's and Teams' markup only: some Teams apps show needless backslashes. */
export function escapeMarkdown(text: string): string {
  return text.replace(MARKUP, '\\$&');
}

const MARKUP = new RegExp(
  [
    /[\\*~`|<>[\]]/, // emphasis, code, spoilers, mentions, links
    /(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/, // emphasis, but not inside a word
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
