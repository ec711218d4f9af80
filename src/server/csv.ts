import { stringify } from 'csv-stringify/sync';

/** A table with a header. */
export function toCsv(rows: readonly object[]): string {
  const cells = rows.map((row) => Object.values(row).map(neutralised));
  return stringify([Object.keys(rows[0] ?? {}), ...cells]);
}

/** Lines of cells, without a header. */
export function toCsvLines(rows: readonly (readonly unknown[])[]): string {
  return stringify(rows.map((cells) => cells.map(neutralised)));
}

/** A text that a spreadsheet would run as a formula gets an apostrophe; negative numbers are no formulas. */
function neutralised(cell: unknown): unknown {
  const isFormula = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) && !/^-\d+(\.\d+)?$/.test(cell);
  return isFormula ? `'${cell}` : cell;
}

/** Whether a request prefers a media type to JSON. */
export function prefers(accept: string | undefined, mediaType: string): boolean {
  return accept?.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === mediaType) ?? false;
}
