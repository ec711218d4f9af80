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

/**
 * Lines of cells that `unmarked` reads again as they were. What a spreadsheet takes for a formula at the start of a cell gets
 * an apostrophe, and so does a text from which `unmarked` would take one away.
 */
export function toMarkedCsvLines(rows: readonly (readonly unknown[])[]): string {
  return stringify(rows.map((cells) => cells.map(marked)));
}

const MARKED_START = /^\s*'(?=[\s']*[\t\r\n=+\-@\uff1d\uff0b\uff0d\uff20])/;

function marked(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const isFormula = FORMULA_START.test(cell) && !NEGATIVE_NUMBER.test(cell);
  return isFormula || MARKED_START.test(cell) ? `'${cell}` : cell;
}

/** Without the apostrophe before what a spreadsheet takes for a formula. */
export function unmarked(cell: string): string {
  return cell.replace(MARKED_START, '');
}
