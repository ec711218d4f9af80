/** Rows in the text format of PostgreSQL's `COPY`: a line for each row, tabs between values, `\N` for null. */

export type TextRow = (string | null)[];

const NULL = '\\N';
const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

/** Without a line feed at the end. */
export function toRowText(values: readonly (string | number | null)[]): string {
  // Hot path: appending takes half the time of joining an array.
  let row = '';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) row += '\t';
    row += toField(values[i] ?? null);
  }
  return row;
}

/** @param text rows, each with its line feed. */
export function parseRows(text: string): TextRow[] {
  return linesOf(text).map(readRow);
}

/** Unparsed rows without their line feeds. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  // Ignores the text after the last line feed.
  lines.pop();
  return lines;
}

/** @param line without its line feed. */
export function readRow(line: string): TextRow {
  return line.split('\t').map(fromField);
}

function toField(value: string | number | null): string {
  if (value === null) return NULL;
  if (typeof value === 'number') return String(value);
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (special) => ESCAPES[special] ?? '') : value;
}

function fromField(field: string): string | null {
  if (!field.includes('\\')) return field;
  return field === NULL ? null : field.replace(/\\(.)/g, (_, letter: string) => UNESCAPED[letter] ?? letter);
}
