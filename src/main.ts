/** The command line: `throughline serve | setup | doctor | migrate | rollback | db | backtest | simulate | demo | apps | keys | users | secret | installs | export | import | rehearse | retention`. */
import { APPS_USAGE, apps, FIELDS_NOTE } from './commands/apps.ts';
import { readArguments } from './commands/arguments.ts';
import { BACKTEST_USAGE, backtest } from './commands/backtest/index.ts';
import { DB_USAGE, db } from './commands/db.ts';
import { demo } from './commands/demo/index.ts';
import { DOCTOR_USAGE, doctor } from './commands/doctor/index.ts';
import { EXPORT_HELP, EXPORT_USAGE } from './commands/export/options.ts';
import { exportToFile } from './commands/export.ts';
import { IMPORT_HELP, IMPORT_USAGE } from './commands/import/options.ts';
import { importFromFile } from './commands/import.ts';
import { INSTALLS_HELP, INSTALLS_USAGE, installs } from './commands/installs.ts';
import { KEYS_USAGE, keys } from './commands/keys.ts';
import { MIGRATE_USAGE, migrate } from './commands/migrate.ts';
import { rehearse } from './commands/rehearse/index.ts';
import { REHEARSE_HELP, REHEARSE_USAGE } from './commands/rehearse/options.ts';
import { RETENTION_USAGE, retention } from './commands/retention.ts';
import { ROLLBACK_USAGE, rollback } from './commands/rollback/index.ts';
import { SECRET_USAGE, secret } from './commands/secret.ts';
import { waitForStop } from './commands/serve/wait-for-stop.ts';
import { serve } from './commands/serve.ts';
import { readSettingsFiles, sortInDataDir } from './commands/settings-files.ts';
import { SETUP_USAGE, setup } from './commands/setup.ts';
import { simulate } from './commands/simulate/index.ts';
import { USERS_USAGE, users } from './commands/users.ts';
import { StartError } from './errors.ts';
import { VERSION } from './lib/version.ts';

const USAGE = `Usage:

throughline serve      run the service (settings: see .env.example)
${SETUP_USAGE}
${DOCTOR_USAGE}
${MIGRATE_USAGE}
                       apply database migrations and stop
${ROLLBACK_USAGE}
${DB_USAGE}
${BACKTEST_USAGE}
                       match recorded traffic (more: --help)
throughline simulate   send simulated users through the running server (more: --help)
throughline demo       fill an app with 90 days of traffic, to look at in the console (more: --help)
${APPS_USAGE}
${KEYS_USAGE}
${USERS_USAGE}
${SECRET_USAGE}
${INSTALLS_USAGE}
${EXPORT_USAGE}
${IMPORT_USAGE}
${REHEARSE_USAGE}
                       compare an old link service with this one before a move (more: --help)
${RETENTION_USAGE}
throughline --version

${FIELDS_NOTE}`;

/** `--help` of a command with subcommands. */
const USAGES: Readonly<Record<string, string>> = {
  migrate: MIGRATE_USAGE,
  rollback: ROLLBACK_USAGE,
  doctor: DOCTOR_USAGE,
  db: DB_USAGE,
  apps: `${APPS_USAGE}\n\n${FIELDS_NOTE}`,
  keys: KEYS_USAGE,
  users: USERS_USAGE,
  secret: SECRET_USAGE,
  installs: INSTALLS_HELP,
  export: EXPORT_HELP,
  import: IMPORT_HELP,
  rehearse: REHEARSE_HELP,
  retention: RETENTION_USAGE,
  setup: SETUP_USAGE,
};

/** `EX_CONFIG` of sysexits.h: a supervisor that starts the service again would only repeat the line. */
const NEEDS_A_PERSON = 78;

const WITH_OWN_HELP: ReadonlySet<string> = new Set(['simulate', 'backtest', 'demo']);

const [command, ...args] = process.argv.slice(2);

// All files are private to their owner.
process.umask(0o077);

process.stdout.on('error', handleOutputError);
process.stderr.on('error', () => undefined);

try {
  readSettingsFiles();
  sortInDataDir();
  const hasOwnHelp = command !== undefined && WITH_OWN_HELP.has(command);
  if (args.some(isHelp) && !hasOwnHelp) showUsage(command);
  else await run(command);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  const needsPerson = isStart(command) && !error.mayPass;
  // Read as it is: settings may be what is refused.
  if (needsPerson && command === 'serve' && process.env.WAIT_WHEN_REFUSED === '1')
    waitForStop(NEEDS_A_PERSON);
  else process.exit(needsPerson ? NEEDS_A_PERSON : 1);
}

function isStart(name: string | undefined): boolean {
  return name === 'serve' || name === 'migrate';
}

/**
 * On a full disk or a closed pipe the service continues without its log. An export to standard output is incomplete then;
 * other commands have completed their work.
 */
function handleOutputError(error: NodeJS.ErrnoException): void {
  if (command === 'serve') return;
  const what = command === 'export' ? 'The export is incomplete:' : 'The command succeeded, but';
  if (error.code !== 'EPIPE')
    process.stderr.write(`${what} its output could not be written: ${error.message}.\n`);
  process.exit(1);
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
      readArguments('throughline serve (settings: see .env.example)', args, []);
      return await serve();
    case 'migrate':
      return await migrate(args);
    case 'rollback':
      return await rollback(args);
    case 'doctor':
      return await doctor(args);
    case 'db':
      return await db(args);
    case 'backtest':
      return await backtest(args);
    case 'simulate':
      return await simulate(args);
    case 'demo':
      return await demo(args);
    case 'apps':
      return await apps(args);
    case 'keys':
      return await keys(args);
    case 'users':
      return await users(args);
    case 'secret':
      return await secret(args);
    case 'installs':
      return await installs(args);
    case 'export':
      return await exportToFile(args);
    case 'import':
      return await importFromFile(args);
    case 'rehearse':
      return await rehearse(args);
    case 'retention':
      return await retention(args);
    case 'setup':
      return await setup(args);
    case 'help':
    case '--help':
    case '-h':
      return showUsage();
    case '--version':
      process.stdout.write(`${VERSION}\n`);
      return;
    default:
      throw new StartError(name === undefined ? USAGE : `Unknown command “${name}”.\n\n${USAGE}`);
  }
}
