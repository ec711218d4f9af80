/** Prometheus' own tools, from Debian's package `prometheus`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const RULES = 'deploy/monitoring/alerts.yml';

/** Why tests with these programs are left out; false if they are not. */
export function lacks(...programs: readonly string[]): string | false {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length === 0) return false;
  return `this machine lacks ${missing.join(' and ')}: apt-get install prometheus`;
}

/** Runs promtool on a file of this content. @throws with what it says. */
export function promtool(args: readonly string[], content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-promtool-'));
  const file = join(folder, 'given.yml');
  // JSON is YAML.
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync('promtool', [...args, file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
