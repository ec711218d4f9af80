/**
 * The move of all data from the embedded SQLite file to PostgreSQL. The target is claimed first and released last, so
 * that nobody serves from half of the data; the source is only read.
 */
export { checkTables, type MovedTable } from './check-tables.ts';
export { copyTables } from './copy-tables.ts';
export { listTables, type TableToMove } from './list-tables.ts';
export {
  beginMove,
  endMove,
  findMove,
  holdTarget,
  type Move,
  refuseUnfinishedMove,
  refuseUnlessEmpty,
} from './take-target.ts';
