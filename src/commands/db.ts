import { StartError } from '../errors.ts';
import { readArguments } from './arguments.ts';
import { backup } from './db/backup.ts';
import { DISTRIBUTE_USAGE, distribute } from './db/distribute.ts';
import { moveToPostgres } from './move/to-postgres.ts';
import { moveToSqlite } from './move/to-sqlite.ts';

const USAGES = {
  backup: 'throughline db backup FOLDER',
  move: 'throughline db move [--to-sqlite]',
};

export const DB_USAGE = `${USAGES.backup}
                       back up DATA_DIR to a new folder, also while the service runs
${USAGES.move}
                       move all data from the SQLite file to the PostgreSQL database of DATABASE_URL,
                       or from there to a new file
${DISTRIBUTE_USAGE}
                       distribute a PostgreSQL database over the nodes of its Citus cluster`;

export async function db([verb, ...args]: readonly string[]): Promise<void> {
  switch (verb) {
    case 'backup': {
      const [folder = ''] = readArguments(USAGES.backup, args, ['FOLDER']);
      return await backup(folder);
    }
    case 'move':
      if (args[0] === '--to-sqlite') {
        readArguments(USAGES.move, args.slice(1), []);
        return await moveToSqlite();
      }
      readArguments(USAGES.move, args, []);
      return await moveToPostgres();
    case 'distribute':
      return await distribute(args);
    default:
      throw new StartError(`Usage:\n\n${DB_USAGE}`);
  }
}
