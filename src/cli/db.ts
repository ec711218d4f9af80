import { StartError } from '../platform/errors.ts';
import { DISTRIBUTE_USAGE, distribute } from './db/distribute.ts';

export const DB_USAGE = DISTRIBUTE_USAGE;

/** What is done to a database as a whole, while no service runs on it. */
export async function db([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'distribute':
      return await distribute(args);
    default:
      throw new StartError(`Usage:\n\n${DB_USAGE}`);
  }
}
