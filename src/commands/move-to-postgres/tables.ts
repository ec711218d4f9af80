/**
 * Moves all data from the SQLite file to PostgreSQL. A mark in the target prevents a service from starting on incomplete
 * data; the source is only read.
 */
export { checkTables, type MovedTable } from './check-tables.ts';
export { copyTables } from './copy-tables.ts';
export { listTables, type TableToMove } from './list-tables.ts';
export {
  assertEmpty,
  beginMove,
  endMove,
  findMove,
  holdTarget,
  type Move,
} from './take-target.ts';
