/** Cells of the roll-ups: the quarter hours of a day, by dimension, value and platform. */
import {
  addNumbers,
  decodeQuarters,
  type EncodedQuarter,
  encodeQuarters,
  type Numbers,
  type Quarters,
  quarterAt,
} from './metrics.ts';

interface CellKey {
  /** Empty for the cell with every fact. */
  readonly dimension: string;
  /** See `toValue`; empty for the empty dimension. */
  readonly value: string;
  /** Empty for neither. */
  readonly platform: string;
}

export interface Cell extends CellKey {
  readonly quarters: Quarters;
}

/** The cells of a day. */
export class Cells {
  readonly #cells = new Map<string, Cell>();

  at(key: CellKey): Cell {
    const name = `${key.dimension}\n${key.platform}\n${key.value}`;
    const existing = this.#cells.get(name);
    if (existing !== undefined) return existing;
    const cell: Cell = { ...key, quarters: new Map() };
    this.#cells.set(name, cell);
    return cell;
  }

  add(key: CellKey, quarter: number, numbers: Numbers): void {
    addNumbers(quarterAt(this.at(key).quarters, quarter), numbers);
  }

  get all(): Iterable<Cell> {
    return this.#cells.values();
  }
}

/** Adds stored quarters to a cell. */
export function addQuarters(cell: Cell, stored: readonly EncodedQuarter[]): void {
  for (const [quarter, numbers] of decodeQuarters(stored))
    addNumbers(quarterAt(cell.quarters, quarter), numbers);
}

type EncodedCell = [dimension: string, value: string, platform: string, quarters: EncodedQuarter[]];

/** All cells of a link's day, in one text. */
export function encodeCells(cells: Cells): string {
  const encoded: EncodedCell[] = [];
  for (const { dimension, value, platform, quarters } of cells.all) {
    const used = encodeQuarters(quarters);
    if (used.length > 0) encoded.push([dimension, value, platform, used]);
  }
  return JSON.stringify(encoded);
}

/** Adds to `cells`. */
export function decodeCells(cells: Cells, text: string): void {
  for (const [dimension, value, platform, quarters] of JSON.parse(text) as EncodedCell[])
    addQuarters(cells.at({ dimension, value, platform }), quarters);
}
