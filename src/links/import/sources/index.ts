import type { ImportSource } from '../imported-row.ts';
import type { Source } from '../source.ts';
import { bitly } from './bitly.ts';
import { branch } from './branch.ts';
import { csv } from './csv.ts';
import { firebase } from './firebase.ts';
import { rebrandly } from './rebrandly.ts';
import { shlink } from './shlink.ts';
import { shortio } from './shortio.ts';

export const SOURCES: Readonly<Record<ImportSource, Source>> = {
  csv,
  firebase,
  branch,
  bitly,
  rebrandly,
  shortio,
  shlink,
};
