/** A cell holds the counts of a UTC day by quarter hour: of one value of a dimension, on one platform. */
import {
  addCounts,
  addStored,
  type Counts,
  isEmpty,
  noCounts,
  type StoredCounts,
  storeCounts,
} from './add-counts.ts';

export interface CellKey {
  /** Empty for the cell with every count. */
  readonly dimension: string;
  /** See `toValue`; empty for the empty dimension. */
  readonly value: string;
  /** Empty for neither. */
  readonly platform: string;
}

export interface Cell extends CellKey {
  readonly quarterHours: Map<number, Counts>;
}

/** The cells of a day. */
export class Cells {
  /** By dimension and platform, then by value: a text of all three for each count takes longer. */
  readonly #cells = new Map<string, Map<string, Cell>>();

  at(key: CellKey): Cell {
    const name = key.platform + key.dimension;
    const cells = this.#cells.get(name) ?? new Map<string, Cell>();
    if (cells.size === 0) this.#cells.set(name, cells);
    const existing = cells.get(key.value);
    if (existing !== undefined) return existing;
    const { dimension, value, platform } = key;
    const cell: Cell = { dimension, value, platform, quarterHours: new Map() };
    cells.set(value, cell);
    return cell;
  }

  add(key: CellKey, quarterHour: number, counts: Counts): void {
    addCounts(countsAt(this.at(key), quarterHour), counts);
  }

  /** Adds all cells of others. */
  merge(others: Cells): void {
    for (const cell of others.all)
      for (const [quarterHour, counts] of cell.quarterHours) this.add(cell, quarterHour, counts);
  }

  get all(): Iterable<Cell> {
    return [...this.#cells.values()].flatMap((cells) => [...cells.values()]);
  }
}

function countsAt({ quarterHours }: Cell, quarterHour: number): Counts {
  const existing = quarterHours.get(quarterHour);
  if (existing !== undefined) return existing;
  const counts = noCounts();
  quarterHours.set(quarterHour, counts);
  return counts;
}

/** In order, without empty quarter hours. */
export function storeCell({ quarterHours }: Cell): StoredCounts[] {
  const stored = [...quarterHours].flatMap(([at, counts]) =>
    isEmpty(counts) ? [] : [storeCounts(at, counts)],
  );
  return stored.sort(([a], [b]) => a - b);
}

export function addToCell(cell: Cell, quarterHours: readonly StoredCounts[]): void {
  for (const stored of quarterHours) addStored(countsAt(cell, stored[0]), stored);
}

/** @param text of the column `quarters`. */
export function parseQuarterHours(text: string): StoredCounts[] {
  return JSON.parse(text) as StoredCounts[];
}

type CellText = [dimension: string, value: string, platform: string, quarterHours: StoredCounts[]];

/** All cells of a link's day, in one text. */
export function storeCells(cells: Cells): string {
  const stored: CellText[] = [];
  for (const cell of cells.all) {
    const quarterHours = storeCell(cell);
    if (quarterHours.length > 0) stored.push([cell.dimension, cell.value, cell.platform, quarterHours]);
  }
  return JSON.stringify(stored);
}

export function parseCells(text: string): (CellKey & { readonly quarterHours: StoredCounts[] })[] {
  return (JSON.parse(text) as CellText[]).map(([dimension, value, platform, quarterHours]) => ({
    ...{ dimension, value, platform, quarterHours },
  }));
}
