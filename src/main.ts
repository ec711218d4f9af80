/** The command line: `throughline serve | migrate | db | backtest | simulate | apps | keys | installs | retention`. */
import { existsSync } from 'node:fs';
import { APPS_USAGE, apps, FIELDS_NOTE } from './cli/apps.ts';
import { readWords } from './cli/arguments.ts';
import { BACKTEST_USAGE, backtest } from './cli/backtest.ts';
import { DB_USAGE, db } from './cli/db.ts';
import { INSTALLS_HELP, INSTALLS_USAGE, installs } from './cli/installs.ts';
import { KEYS_USAGE, keys } from './cli/keys.ts';
import { migrate } from './cli/migrate.ts';
import { RETENTION_USAGE, retention } from './cli/retention.ts';
import { serve } from './cli/serve.ts';
import { simulate } from './cli/simulate.ts';
import { StartError } from './platform/errors.ts';
import { VERSION } from './platform/version.ts';

const USAGE = `Usage:

throughline serve      run the service (settings: see .env.example)
throughline migrate    apply database migrations and stop
${DB_USAGE}
${BACKTEST_USAGE}
                       run recorded traffic through the matching (more: --help)
throughline simulate   send simulated people through the running server (more: --help)
${APPS_USAGE}
${KEYS_USAGE}
${INSTALLS_USAGE}
${RETENTION_USAGE}
throughline --version

${FIELDS_NOTE}`;

/** What a command with several verbs shows of itself. */
const USAGES: Readonly<Record<string, string>> = {
  db: DB_USAGE,
  apps: `${APPS_USAGE}\n\n${FIELDS_NOTE}`,
  keys: KEYS_USAGE,
  installs: INSTALLS_HELP,
  retention: RETENTION_USAGE,
};

const [command, ...args] = process.argv.slice(2);

// Whatever is written is its owner's alone.
process.umask(0o077);

process.stdout.on('error', endUnheard);
process.stderr.on('error', () => undefined);

try {
  readEnvFile();
  const explainsItself = command === 'simulate' || command === 'backtest';
  if (args.some(isHelp) && !explainsItself) showUsage(command);
  else await run(command);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** A full disk, or a reader that has gone: the service goes on without its log, a command has done what it was to do. */
function endUnheard(error: NodeJS.ErrnoException): void {
  if (command === 'serve') return;
  if (error.code !== 'EPIPE')
    process.stderr.write(`It is done, but what came of it could not be written: ${error.message}.\n`);
  process.exit(1);
}

function readEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    throw new StartError(`.env cannot be read: ${(error as Error).message.replace(/\.$/, '')}.`);
  }
}

function showUsage(name = ''): void {
  const usage = Object.hasOwn(USAGES, name) ? `Usage:\n\n${USAGES[name]}` : USAGE;
  process.stdout.write(`${usage}\n`);
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

async function run(name: string | undefined): Promise<void> {
  switch (name) {
    case 'serve':
      readWords('throughline serve (settings: see .env.example)', args, []);
      return await serve();
    case 'migrate':
      readWords('throughline migrate', args, []);
      return await migrate();
    case 'db':
      return await db(args);
    case 'backtest':
      return await backtest(args);
    case 'simulate':
      return await simulate(args);
    case 'apps':
      return await apps(args);
    case 'keys':
      return await keys(args);
    case 'installs':
      return await installs(args);
    case 'retention':
      return await retention(args);
    case 'help':
    case '--help':
    case '-h':
      return showUsage();
    case '--version':
      process.stdout.write(`${VERSION}\n`);
      return;
    default:
      throw new StartError(name === undefined ? USAGE : `“${name}” is no command.\n\n${USAGE}`);
  }
}
