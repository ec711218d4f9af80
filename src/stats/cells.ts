/** Cells of the roll-ups: the quarter hours of a day, by dimension, value and platform. */
import {
  addNumbers,
  addQuarter,
  type EncodedQuarter,
  encodeQuarters,
  type Numbers,
  type Quarters,
  quarterAt,
} from './counts.ts';

export interface CellKey {
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
  /** By dimension and platform, then by value: a text of all three for each fact takes longer. */
  readonly #cells = new Map<string, Map<string, Cell>>();

  at(key: CellKey): Cell {
    const name = key.platform + key.dimension;
    const cells = this.#cells.get(name) ?? new Map<string, Cell>();
    if (cells.size === 0) this.#cells.set(name, cells);
    const existing = cells.get(key.value);
    if (existing !== undefined) return existing;
    const { dimension, value, platform } = key;
    const cell: Cell = { dimension, value, platform, quarters: new Map() };
    cells.set(value, cell);
    return cell;
  }

  add(key: CellKey, quarter: number, numbers: Numbers): void {
    addNumbers(quarterAt(this.at(key).quarters, quarter), numbers);
  }

  /** Adds all cells of others. */
  merge(others: Cells): void {
    for (const cell of others.all)
      for (const [quarter, numbers] of cell.quarters) this.add(cell, quarter, numbers);
  }

  get all(): Iterable<Cell> {
    return [...this.#cells.values()].flatMap((cells) => [...cells.values()]);
  }
}

/** Adds stored quarters to a cell. */
export function addQuarters(cell: Cell, stored: readonly EncodedQuarter[]): void {
  for (const quarter of stored) addQuarter(quarterAt(cell.quarters, quarter[0]), quarter);
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

/** Adds to `cells`. @param placeOf the value under which a cell is added. */
export function decodeCells(cells: Cells, text: string, placeOf = ({ value }: CellKey) => value): void {
  for (const { quarters, ...key } of parseCells(text))
    addQuarters(cells.at({ ...key, value: placeOf(key) }), quarters);
}

export function parseCells(text: string): (CellKey & { readonly quarters: readonly EncodedQuarter[] })[] {
  return (JSON.parse(text) as EncodedCell[]).map(([dimension, value, platform, quarters]) => ({
    ...{ dimension, value, platform, quarters },
  }));
}
