export { assertOutside, copyData } from './copy-data.ts';
export { type Backups, startBackups } from './schedule.ts';
