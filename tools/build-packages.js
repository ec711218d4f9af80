/** Builds the packages and the documents at `npm ci`. Does nothing without the development dependencies, which a server does not need. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const root = new URL('..', import.meta.url);
if (existsSync(new URL('node_modules/typescript', root))) {
  const { status } = spawnSync('npm run build --silent --workspaces && npm run site --silent', {
    cwd: root,
    shell: true,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
