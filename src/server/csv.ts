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

/**
 * What spreadsheets take for the start of a formula, also in full-width characters and behind spaces. Some remove a tab
 * or a line end at the start first.
 */
const FORMULA_START = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
const NEGATIVE_NUMBER = /^-\d+(\.\d+)?$/;

/** A text that a spreadsheet would run as a formula gets an apostrophe; negative numbers are no formulas. */
function neutralised(cell: unknown): unknown {
  const isFormula = typeof cell === 'string' && FORMULA_START.test(cell) && !NEGATIVE_NUMBER.test(cell);
  return isFormula ? `'${cell}` : cell;
}
