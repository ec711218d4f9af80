/** Runs the commands of pages as they are written, with the real program under the names that readers call it by. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { commandLine, OWN_ENV } from '../process.ts';
import type { Block } from './blocks.ts';

const MARK = '=== block';

/**
 * The program is that of the test, a `curl` that gets 400 or above fails, and what it asks is at `WEB_PORT`, or at
 * `PROXY_PORT` with the address that the guide has for a proxy; a stream (`-N`) is read for three seconds. A restart of the service asks `ON_RESTART`.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  throughline: `exec ${commandLine()} "$@"`,
  npx: `[ "$1" = throughline ] || { echo "npx $1 is not of the guide" >&2; exit 127; }
shift
exec throughline "$@"`,
  sudo: 'exec "$@"',
  systemctl: `[ "$1" != reload ] || exit 0
[ "$*" = "restart throughline" ] || { echo "systemctl $*" >&2; exit 127; }
exec env WEB_PORT= curl -sS "$ON_RESTART"`,
  curl: `[[ "$*" == *--fail* ]] || set -- --fail-with-body "$@"
[[ "$*" != *203.0.113.7* ]] || WEB_PORT=$PROXY_PORT
[ -z "$WEB_PORT" ] || set -- --insecure --connect-to "::127.0.0.1:$WEB_PORT" "$@"
PATH=\${PATH#*:}
[[ " $* " == *" -N "* ]] || exec curl "$@"
timeout 3 curl "$@"
[ $? = 124 ]`,
};

export interface Ran {
  readonly block: Block;
  readonly output: string;
}

interface ShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What stands for a value of the reader's, and the value. */
  readonly placeholders?: readonly (readonly [written: string, value: string])[];
}

/** Runs blocks one after another in one shell, which ends at the first failure. @throws with the block that fails. */
export async function runBlocks(blocks: readonly Block[], options: ShellOptions): Promise<readonly Ran[]> {
  const { cwd, env, placeholders = [] } = options;
  const bin = join(cwd, '.bin');
  mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(COMMANDS)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const script = blocks.map(({ text }, index) => {
    const filled = placeholders.reduce((all, [written, value]) => all.replaceAll(written, value), text);
    return `printf '\\n${MARK} ${index}\\n'\n${filled}`;
  });
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
    cwd,
    env: {
      ...OWN_ENV,
      ON_RESTART: '',
      WEB_PORT: '',
      PROXY_PORT: '',
      ...env,
      PATH: `${bin}:${process.env.PATH}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(shell.stdout), text(shell.stderr), ended]);
  const outputs = stdout.split(new RegExp(`\\n${MARK} \\d+\\n`)).slice(1);
  if (code !== 0) {
    const { page, line } = blocks[outputs.length - 1] ?? blocks[0] ?? { page: '', line: 0 };
    throw new Error(`${page}:${line} ended with ${code}\n${outputs.join('---')}\n${stderr}`);
  }
  return blocks.map((block, index) => ({ block, output: outputs[index] ?? '' }));
}
