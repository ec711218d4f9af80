import { StartError } from '../errors.ts';
import { readArguments } from './arguments.ts';
import { backup } from './db/backup.ts';
import { DISTRIBUTE_USAGE, distribute } from './db/distribute.ts';
import { move } from './move-to-postgres/index.ts';

const USAGES = {
  backup: 'throughline db backup FOLDER',
  move: 'throughline db move',
};

export const DB_USAGE = `${USAGES.backup}
                       back up DATA_DIR to a new folder, also while the service runs
${USAGES.move}    move all data from the SQLite file to the PostgreSQL database of DATABASE_URL
${DISTRIBUTE_USAGE}
                       distribute a PostgreSQL database over the nodes of its Citus cluster`;

export async function db([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'backup': {
      const [folder = ''] = readArguments(USAGES.backup, args, ['FOLDER']);
      return await backup(folder);
    }
    case 'move':
      readArguments(USAGES.move, args, []);
      return await move();
    case 'distribute':
      return await distribute(args);
    default:
      throw new StartError(`Usage:\n\n${DB_USAGE}`);
  }
}
