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
/**
 * The same within a cell, where a spreadsheet begins another one: many separate by semicolons or tabs, and then do not take
 * the quotes of a cell in the middle of a line for quotes. A part that is a negative number is no formula.
 */
const PART_START = /([;\t\r\n])(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])(?!-\d+(?:\.\d+)?(?:[;\t\r\n]|$))/g;

/** What a spreadsheet would run as a formula gets an apostrophe; negative numbers are no formulas. */
function neutralised(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const text = cell.replace(PART_START, "$1'");
  return FORMULA_START.test(cell) && !NEGATIVE_NUMBER.test(cell) ? `'${text}` : text;
}
