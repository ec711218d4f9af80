/** An app with a lock file of its own, in which the packages are installed as npm would publish them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PACKAGES = ['core', 'react-native', 'react-native-ads'];

export class PackedApp {
  readonly dir: string;
  readonly #env: Readonly<Record<string, string>>;

  /** @param folder of the app, from the root. @param env for its commands. */
  constructor(folder: string, env: Readonly<Record<string, string>> = {}) {
    this.dir = resolve(folder);
    this.#env = env;
  }

  /** Takes half a minute and 300 MB. */
  install(): void {
    this.run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
    const packed = mkdtempSync(join(tmpdir(), 'throughline-packed-'));
    for (const name of PACKAGES) {
      const from = resolve('packages', name);
      this.run('npm', ['run', 'build', '--silent'], from);
      const [{ filename }] = JSON.parse(
        this.run('npm', ['pack', '--json', '--silent', '--pack-destination', packed], from),
      ) as [{ filename: string }];
      const into = join(this.dir, 'node_modules/@throughline', name);
      rmSync(into, { recursive: true, force: true });
      mkdirSync(into, { recursive: true });
      this.run('tar', ['-xzf', join(packed, filename), '--strip-components=1', '-C', into]);
    }
    rmSync(packed, { recursive: true });
  }

  /** Runs a script of a package of the app with this Node. @returns what it printed. */
  node(script: string, args: readonly string[]): string {
    return this.run(process.execPath, [join('node_modules', script), ...args]);
  }

  run(command: string, args: readonly string[], cwd = this.dir): string {
    const { status, stdout, stderr } = spawnSync(command, args, {
      ...{ cwd, encoding: 'utf8', maxBuffer: 2 ** 27 },
      env: { ...process.env, CI: '1', ...this.#env },
    });
    assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout.slice(-8_000)}\n${stderr.slice(-8_000)}`);
    return stdout;
  }
}
