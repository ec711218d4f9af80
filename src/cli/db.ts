import { StartError } from '../platform/errors.ts';
import { readWords } from './arguments.ts';
import { backup } from './db/backup.ts';
import { DISTRIBUTE_USAGE, distribute } from './db/distribute.ts';
import { move } from './db/move.ts';

const USAGES = {
  backup: 'throughline db backup FOLDER',
  move: 'throughline db move',
};

export const DB_USAGE = `${USAGES.backup}
                       copy the data of DATA_DIR into a new folder, beside a running service
${USAGES.move}    move all data from the SQLite file to the PostgreSQL of DATABASE_URL
${DISTRIBUTE_USAGE}
                       spread a PostgreSQL database over the nodes of its Citus cluster`;

/** What is done to a database as a whole. */
export async function db([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'backup': {
      const [folder = ''] = readWords(USAGES.backup, args, ['FOLDER']);
      return await backup(folder);
    }
    case 'move':
      readWords(USAGES.move, args, []);
      return await move();
    case 'distribute':
      return await distribute(args);
    default:
      throw new StartError(`Usage:\n\n${DB_USAGE}`);
  }
}
