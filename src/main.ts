/** The command line: `throughline serve | migrate | apps | keys`. */
import { existsSync } from 'node:fs';
import { APPS_USAGE, apps } from './cli/apps.ts';
import { KEYS_USAGE, keys } from './cli/keys.ts';
import { migrate } from './cli/migrate.ts';
import { serve } from './cli/serve.ts';
import { StartError } from './platform/errors.ts';

const USAGE = `Usage:

throughline serve      run the service (settings: see .env.example)
throughline migrate    apply database migrations and stop
${APPS_USAGE.replaceAll(/^(?!throughline)/gm, '  ')}
${KEYS_USAGE}`;

const [command, ...args] = process.argv.slice(2);

// Whatever is written is its owner's alone.
process.umask(0o077);
if (existsSync('.env')) process.loadEnvFile('.env');

try {
  await run(command);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function run(name: string | undefined): Promise<void> {
  switch (name) {
    case 'serve':
      return await serve();
    case 'migrate':
      return await migrate();
    case 'apps':
      return await apps(args);
    case 'keys':
      return await keys(args);
    case 'help':
    case '--help':
    case '-h':
      process.stdout.write(`${USAGE}\n`);
      return;
    default:
      throw new StartError(name === undefined ? USAGE : `“${name}” is no command.\n\n${USAGE}`);
  }
}
